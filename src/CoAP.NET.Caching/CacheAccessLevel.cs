namespace CoAP.NET.Caching;

/// <summary>How much of the cache a request may use.</summary>
internal enum CacheAccessLevel
{
    /// <summary>None: it is not answered from the cache, and its answer is not stored.</summary>
    None,

    /// <summary>Its answer is stored, but it goes to the server.</summary>
    StoreOnly,

    /// <summary>It may be answered from the cache.</summary>
    Full,
}
