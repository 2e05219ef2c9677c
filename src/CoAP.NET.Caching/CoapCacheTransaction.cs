namespace CoAP.NET.Caching;

/// <summary>
/// A request of a gateway in a <see cref="CoapCache"/>, for gateways that do not send requests with a <see cref="CoapClient"/>, but for
/// example over HTTP.
/// </summary>
/// <remarks>
/// Return <see cref="Fresh"/> if it exists. Otherwise send a request with the tags of <see cref="AddTagsTo"/>, and return the result of
/// <see cref="Complete"/>. Created by <see cref="CoapCache.Begin"/>. For one request and one thread at a time.
/// </remarks>
public sealed class CoapCacheTransaction
{
    private readonly CoapCache _cache;
    private readonly CacheKey _key;
    private readonly CacheLookup _found;
    private readonly CoapQuotaSource? _source;

    internal CoapCacheTransaction(CoapCache cache, CacheKey key, CacheLookup found, CoapQuotaSource? source)
    {
        (_cache, _key, _found, _source) = (cache, key, found, source);
    }

    /// <summary>A fresh stored response, with its remaining Max-Age; null if the server must be queried.</summary>
    public CoapMessage? Fresh => _found.Fresh?.Message;

    /// <summary>
    /// Adds the entity-tags of stale stored responses, so that the server can confirm one of them as still valid (RFC 7252 section 5.6.2).
    /// </summary>
    /// <remarks>At most four; none if nothing is stored.</remarks>
    /// <param name="options">The options of the request to the server. Tags of the client stay in them.</param>
    public void AddTagsTo(CoapOptionCollection options)
    {
        ArgumentNullException.ThrowIfNull(options);
        foreach (StoredResponse stored in _found.Candidates)
        {
            options.Add(stored.Tag!);
        }
    }

    /// <summary>Processes the response of the server.</summary>
    /// <remarks>
    /// It stores a cacheable response, unless the resource was changed meanwhile. 2.03 Valid with a tag of <see cref="AddTagsTo"/> makes
    /// the stored response fresh again.
    /// </remarks>
    /// <param name="answer">The response: code, options, payload; copied.</param>
    /// <returns>The response for the client: for such a 2.03 the stored one, otherwise the unchanged response.</returns>
    public CoapMessage Complete(CoapMessage answer)
    {
        ArgumentNullException.ThrowIfNull(answer);
        if (answer.Code == CoapCode.Valid)
        {
            return _cache.Refresh(_key, _found.Candidates, answer, _cache.Now, _found.Stamp, _source)?.Message ?? answer;
        }

        _cache.Store(_key, new CoapResponse(answer, default), _cache.Now, _found.Stamp, _source);
        return answer;
    }
}
