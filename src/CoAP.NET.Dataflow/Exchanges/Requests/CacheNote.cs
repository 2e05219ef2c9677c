using CoAP.NET.Caching;

namespace CoAP.NET.Requests;

/// <summary>The state of a request in <see cref="CacheStep"/> until its response arrives.</summary>
internal sealed class CacheNote
{
    /// <summary>The URI that the request changes; null for a request that changes nothing.</summary>
    public string? Changed { get; init; }

    /// <summary>The key under which the response is stored; null if it is not stored.</summary>
    public CacheKey? Key { get; init; }

    /// <summary>Whether the cache must not answer the request, so that nothing was looked up.</summary>
    public bool IsStoreOnly { get; init; }

    /// <summary>The stored responses that the server may validate; null if the request asks for no validation.</summary>
    public StoredResponse[]? Validated { get; init; }

    /// <summary>
    /// The state of the URI when the request was sent; the response is stored only if the resource did not change in between.
    /// </summary>
    public long Stamp { get; init; }
}
