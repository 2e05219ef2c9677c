using CoAP.NET.Caching;

namespace CoAP.NET.Requests;

/// <summary>What <see cref="CacheStep"/> knows of a request until its response comes.</summary>
internal sealed class CacheNote
{
    /// <summary>The URI of what the request changes; null for a request that changes nothing.</summary>
    public string? Changed { get; init; }

    /// <summary>Where the response is stored; null for one that is not.</summary>
    public CacheKey? Key { get; init; }

    /// <summary>Whether the cache must not answer the request, so that nothing was looked up.</summary>
    public bool IsStoreOnly { get; init; }

    /// <summary>What was found that the server may say to be valid; null where the request asks for no validation.</summary>
    public StoredResponse[]? Validated { get; init; }

    /// <summary>The state of the URI when the request was sent; what comes later is stored only if the resource was not changed in
    /// between.</summary>
    public long Stamp { get; init; }
}
