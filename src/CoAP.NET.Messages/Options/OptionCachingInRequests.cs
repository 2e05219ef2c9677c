namespace CoAP.NET;

/// <summary>What a cache does with a request that has the option (RFC 7252 section 5.6).</summary>
public enum OptionCachingInRequests : byte
{
    /// <summary>What the number says (RFC 7252 section 5.4.6).</summary>
    /// <remarks>The option is part of the cache key, unless its number excludes it. An unsafe option bypasses the cache.</remarks>
    ByNumber,

    /// <summary>Part of the cache key: requests with other values get other responses.</summary>
    Key,

    /// <summary>Not part of the cache key: the value does not affect the response.</summary>
    NoKey,

    /// <summary>The server answers the request, and the cache stores the response.</summary>
    /// <remarks>The cache key does not contain the option.</remarks>
    StoreOnly,

    /// <summary>The cache neither answers the request nor stores the response, and a proxy does not share it between clients.</summary>
    Bypass,
}
