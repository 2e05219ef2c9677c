using CoAP.NET.Caching;

namespace CoAP.NET;

/// <summary>
/// Stored responses of a client, by the rules of RFC 7252 section 5.6: fresh ones answer without a message, stale ones with an entity-tag
/// are validated. Give it to <see cref="CoapEndpointOptions.Cache"/>. Several endpoints may share one if they share a clock; what came over
/// a protected channel stays with the endpoint that got it. Bounded; the response that was not used for the longest time goes first. What
/// is asked on behalf of others (<see cref="CoapRequest.OnBehalfOf"/>) has a share for each source, and the largest share gives way.
/// Thread-safe.
/// </summary>
public sealed class CoapCache
{
    // Each URI has a number that changes when the resource may have changed. Two URIs that share one cost a response that is not stored,
    // nothing else.
    private const int Stamps = 1024;

    private readonly Lock _gate = new();
    private readonly CacheStore _store;
    private readonly long[] _stamps = new long[Stamps];
    private TimeProvider? _timeProvider;
    private long _hits;
    private long _misses;
    private long _validations;
    private long _invalidations;

    /// <summary>Makes a cache.</summary>
    /// <param name="maxBytes">How many bytes all stored responses may take, with an estimate of what the objects around them take. Default
    /// 4 MiB; at least 0.</param>
    /// <param name="maxEntries">How many requests may have stored responses; each up to four, with different entity-tags. Default 10,000;
    /// at least 0.</param>
    /// <param name="timeProvider">The clock, for a gateway that uses <see cref="Begin"/>; null for that of the first endpoint that the
    /// cache is given to, and of the system without one.</param>
    /// <exception cref="ArgumentOutOfRangeException">A bound is below 0.</exception>
    public CoapCache(long maxBytes = 4 << 20, int maxEntries = 10_000, TimeProvider? timeProvider = null)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(maxBytes);
        ArgumentOutOfRangeException.ThrowIfNegative(maxEntries);
        MaxBytes = maxBytes;
        MaxEntries = maxEntries;
        _store = new CacheStore(maxBytes, maxEntries);
        _timeProvider = timeProvider;
    }

    /// <summary>The bound in bytes.</summary>
    public long MaxBytes { get; }

    /// <summary>The bound in requests that have stored responses.</summary>
    public int MaxEntries { get; }

    /// <summary>How many bytes are in use, by estimate.</summary>
    public long Bytes => Read(static cache => cache._store.Bytes);

    /// <summary>How many requests have stored responses, fresh or not.</summary>
    public int Count => (int)Read(static cache => cache._store.Count);

    /// <summary>Requests answered from the cache without a message.</summary>
    public long Hits => Read(static cache => cache._hits);

    /// <summary>Requests that could have been answered from the cache but were not, because nothing fresh was stored.</summary>
    public long Misses => Read(static cache => cache._misses);

    /// <summary>
    /// Misses where the server said that a stored response is still valid (2.03), so that its payload was not sent again.
    /// </summary>
    public long Validations => Read(static cache => cache._validations);

    /// <summary>Requests whose stored responses went for lack of room.</summary>
    public long Evictions => Read(static cache => cache._store.Evictions);

    /// <summary>
    /// Requests whose stored responses were marked as not fresh, because the resource may have changed (RFC 7252 section 5.9.1).
    /// </summary>
    public long Invalidations => Read(static cache => cache._invalidations);

    internal long Now => CoapEnvironment.ReadClock(_timeProvider ?? TimeProvider.System);

    /// <summary>
    /// Looks for what may answer a request that a gateway is about to send in its own way, such as over HTTP. A <see cref="CoapClient"/>
    /// with a cache needs none of this.
    /// </summary>
    /// <param name="request">The method, the options that the answer depends on, and the payload of a FETCH. Options of the URI and
    /// entity-tags do not count.</param>
    /// <param name="uri">The absolute URI that is asked for, of any scheme; text that differs is another resource, but for schemes of
    /// CoAP, whose URIs are normalized.</param>
    /// <param name="source">On whose behalf, for the share of the source; null for the gateway itself.</param>
    /// <returns>The request as the cache sees it; null where its answer may not be stored, because of its method or an option (RFC 7252
    /// section 5.6).</returns>
    public CoapCachedRequest? Begin(CoapMessage request, string uri, CoapSource? source = null)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentException.ThrowIfNullOrEmpty(uri);
        if (CacheRules.UseOf(request) == CacheUse.None)
        {
            return null;
        }

        Attach(_timeProvider ?? TimeProvider.System);
        CacheKey key = CacheKey.OfGateway(CacheKey.Normalize(uri), request);
        return new CoapCachedRequest(this, key, Find(key, Now, CoapCacheMode.Default, source), source);
    }

    /// <summary>Forgets everything. Responses that are under way are not stored either. The counts go on.</summary>
    public void Clear()
    {
        lock (_gate)
        {
            _store.Clear();
            for (int i = 0; i < Stamps; i++)
            {
                _stamps[i]++;
            }
        }
    }

    /// <summary>Forbids to use what is stored for a URI without asking the server, for all methods and all who answered for it.</summary>
    /// <param name="uri">The absolute URI. One of another protocol, which a proxy was asked for, is written as it was then.</param>
    /// <exception cref="CoapUriException">The text is no absolute URI, or a wrong one of CoAP.</exception>
    public void Invalidate(string uri)
    {
        ArgumentNullException.ThrowIfNull(uri);
        bool isOther = Uri.TryCreate(uri, UriKind.Absolute, out Uri? other)
            && uri.StartsWith(other.Scheme, StringComparison.OrdinalIgnoreCase)
            && !other.Scheme.StartsWith("coap", StringComparison.Ordinal);
        InvalidateNormal(isOther ? uri : CoapUri.Parse(uri).ToString());
    }

    internal void InvalidateNormal(string uri)
    {
        lock (_gate)
        {
            StampOf(uri)++;
            _invalidations += _store.MarkNotFresh(uri);
        }
    }

    /// <summary>Binds the cache to a clock: the times of two clocks cannot be compared.</summary>
    internal void Attach(TimeProvider timeProvider)
    {
        if (Interlocked.CompareExchange(ref _timeProvider, timeProvider, null) is { } other && !ReferenceEquals(other, timeProvider))
        {
            throw new ArgumentException(
                "The cache belongs to endpoints with another TimeProvider. Endpoints share a cache only if they share a clock.");
        }
    }

    /// <summary>Looks for what may answer a request.</summary>
    /// <param name="key">The key of the request.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="mode">Whether a fresh response may be used.</param>
    /// <param name="source">On whose behalf; null for the caller itself.</param>
    internal CacheLookup Find(CacheKey key, long now, CoapCacheMode mode, CoapSource? source = null)
    {
        StoredResponse? fresh = null;
        StoredResponse[] candidates = [];
        long stamp;
        lock (_gate)
        {
            stamp = StampOf(key.Uri);
            if (_store.TryUse(key, source, out CacheSlot? slot))
            {
                fresh = mode == CoapCacheMode.Validate ? null : slot.Fresh(now);
                candidates = fresh is null ? slot.Candidates() : [];
            }

            _ = fresh is null ? _misses++ : _hits++;
        }

        return new CacheLookup(fresh?.ToResponse(now), candidates, stamp);
    }

    /// <summary>The state of a URI; see <see cref="CacheLookup.Stamp"/>.</summary>
    internal long Stamp(CacheKey key)
    {
        lock (_gate)
        {
            return StampOf(key.Uri);
        }
    }

    /// <summary>
    /// Stores a response, if it may be; then it is the one to use. If it may not, nothing older is used without asking either.
    /// </summary>
    /// <param name="key">What it answers.</param>
    /// <param name="response">The response, as it came; copied.</param>
    /// <param name="now">When it came, in units of 100 ns.</param>
    /// <param name="stamp">The state of the URI before the request was sent; null for a notification, which tells of the newest state by
    /// itself.</param>
    /// <param name="source">On whose behalf; null for the caller itself.</param>
    internal void Store(CacheKey key, CoapResponse response, long now, long? stamp, CoapSource? source = null)
    {
        StoredResponse? stored = CacheRules.CanStore(response.Message) && response.Payload.Length <= MaxBytes
            ? new StoredResponse(response, now)
            : null;
        lock (_gate)
        {
            if (stamp is { } before && before != StampOf(key.Uri))
            {
                return;
            }

            if (stored is null)
            {
                _store.MarkNotFresh(key);
            }
            else
            {
                _store.Add(key, stored, stored.FreshUntil, source);
            }
        }
    }

    /// <summary>Takes a 2.03: the response that it names is as good as new (RFC 7252 section 5.6.2).</summary>
    /// <param name="key">What was asked.</param>
    /// <param name="candidates">The responses whose tags were in the request.</param>
    /// <param name="valid">The 2.03.</param>
    /// <param name="now">When it came, in units of 100 ns.</param>
    /// <param name="stamp">The state of the URI before the request was sent.</param>
    /// <returns>The response to use; null when the 2.03 names none of them.</returns>
    /// <param name="source">On whose behalf; null for the caller itself.</param>
    internal CoapResponse? Refresh(
        CacheKey key, StoredResponse[] candidates, CoapMessage valid, long now, long? stamp, CoapSource? source = null)
    {
        Options.ETag? tag = CacheRules.TagOf(valid);
        StoredResponse? named = Array.Find(candidates, candidate => candidate.Tag!.Equals(tag));
        if (named is null)
        {
            return null;
        }

        StoredResponse refreshed = named.RefreshedBy(valid, now);
        lock (_gate)
        {
            _validations++;
            if (stamp is null || stamp == StampOf(key.Uri))
            {
                // With Max-Age 0 it is stale at once, but may be validated again.
                _store.Add(key, refreshed, refreshed.FreshUntil, source);
            }
        }

        return refreshed.ToResponse(now);
    }

    /// <summary>The responses stored under a key that have an entity-tag, newest first.</summary>
    internal StoredResponse[] Candidates(CacheKey key)
    {
        lock (_gate)
        {
            return _store.TryGet(key, out CacheSlot? slot) ? slot.Candidates() : [];
        }
    }

    /// <summary>Which number stands for a URI.</summary>
    internal static int StampIndexOf(string uri) => (int)((uint)string.GetHashCode(uri) % Stamps);

    private ref long StampOf(string uri) => ref _stamps[StampIndexOf(uri)];

    private long Read(Func<CoapCache, long> value)
    {
        lock (_gate)
        {
            return value(this);
        }
    }
}
