namespace CoAP.NET;

/// <summary>How a request uses the cache of the endpoint.</summary>
/// <remarks>Without a cache it has no effect, except for <see cref="OnlyIfCached"/>.</remarks>
public enum CoapCacheMode : byte
{
    /// <summary>Uses a fresh stored response, validates a stale one if possible, and stores the response (RFC 7252 section 5.6).</summary>
    Default,

    /// <summary>
    /// Sends the request even if a stored response is fresh; the server may confirm a stored one as still valid (RFC 7252 section 5.6.2).
    /// </summary>
    /// <remarks>Stores the response.</remarks>
    Validate,

    /// <summary>Sends the request as if there were no cache, and does not store the response.</summary>
    Bypass,

    /// <summary>Uses only a fresh stored response and sends nothing.</summary>
    /// <remarks>Without one, the request fails with a <see cref="CoapException"/> (<see cref="CoapError.NotCached"/>).</remarks>
    OnlyIfCached,
}
