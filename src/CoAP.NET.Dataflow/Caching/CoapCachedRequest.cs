using CoAP.NET.Caching;
using CoAP.NET.Options;

namespace CoAP.NET;

/// <summary>
/// A request of a gateway as its <see cref="CoapCache"/> sees it, for gateways that ask servers in another way than by a
/// <see cref="CoapClient"/>, such as over HTTP: give <see cref="Fresh"/> if it is there; otherwise ask with the tags of
/// <see cref="AddTagsTo"/>, and give what <see cref="Complete"/> makes of the answer. Made by <see cref="CoapCache.Begin"/>. For one
/// request and one thread at a time.
/// </summary>
public sealed class CoapCachedRequest
{
    private readonly CoapCache _cache;
    private readonly CacheKey _key;
    private readonly CacheLookup _found;
    private readonly CoapSource? _source;

    internal CoapCachedRequest(CoapCache cache, CacheKey key, CacheLookup found, CoapSource? source)
    {
        (_cache, _key, _found, _source) = (cache, key, found, source);
    }

    /// <summary>A stored answer that is fresh, with what is left of its Max-Age; null when the server has to be asked.</summary>
    public CoapMessage? Fresh => _found.Fresh?.Message;

    /// <summary>
    /// Adds the entity-tags of what is stored and not fresh, so that the server can answer that one of them is still valid (RFC 7252
    /// section 5.6.2). At most four; none where nothing is stored.
    /// </summary>
    /// <param name="options">The options of the request to the server. Tags of the client stay among them.</param>
    public void AddTagsTo(CoapOptionCollection options)
    {
        ArgumentNullException.ThrowIfNull(options);
        foreach (StoredResponse stored in _found.Candidates)
        {
            options.Add(stored.Tag!);
        }
    }

    /// <summary>
    /// Takes the answer of the server. One that may be stored is stored for the requests that follow, unless the resource was changed
    /// meanwhile. 2.03 Valid with a tag of <see cref="AddTagsTo"/> makes what is stored fresh again.
    /// </summary>
    /// <param name="answer">The answer: code, options, payload; copied.</param>
    /// <returns>The answer for the client: for such a 2.03 what was stored, and in all other cases the answer as it came.</returns>
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
