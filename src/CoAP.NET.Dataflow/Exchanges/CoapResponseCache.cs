using CoAP.NET.Exchanges;

namespace CoAP.NET;

/// <summary>
/// A cache for the responses to requests of an endpoint (RFC 7252 section 5.6): the <c>CoapCache</c> of CoAP.NET.Caching.
/// </summary>
public abstract class CoapResponseCache
{
    internal CoapResponseCache()
    {
    }

    internal abstract ResponseCacheStep MakeStep(CoapEnvironment environment);
}
