namespace CoAP.NET;

/// <summary>
/// What the cache of the endpoint may do for a request. Says nothing where the endpoint has no cache, but for <see cref="OnlyIfCached"/>.
/// </summary>
public enum CoapCacheMode : byte
{
    /// <summary>
    /// A fresh stored response is used; a stale one is validated if it can be; what comes is stored (RFC 7252 section 5.6).
    /// </summary>
    Default,

    /// <summary>
    /// The server is asked even if a stored response is fresh; it may say that a stored one is still valid (RFC 7252 section 5.6.2). What
    /// comes is stored.
    /// </summary>
    Validate,

    /// <summary>The server is asked as if there were no cache, and what comes is not stored.</summary>
    Bypass,

    /// <summary>
    /// Only a fresh stored response is used; nothing is sent. Where there is none the request fails with a
    /// <see cref="CoapCacheMissException"/>.
    /// </summary>
    OnlyIfCached,
}
