namespace CoAP.NET;

/// <summary>
/// A request was to be answered from the cache only (<see cref="CoapCacheMode.OnlyIfCached"/>), but no fresh response is stored. Nothing
/// was sent.
/// </summary>
public sealed class CoapCacheMissException : CoapException
{
    internal CoapCacheMissException()
        : base("No fresh response to the request is in the cache, and it was to be answered from there only. Send it with another "
            + "CacheMode.")
    {
    }
}
