using CoAP.NET.Exchanges;
using CoAP.NET.Execution;

namespace CoAP.NET.Caching;

/// <summary>
/// The cache of a client's responses, with the rules of RFC 7252 section 5.6: fresh responses answer requests without a message, stale ones
/// with an entity-tag are validated.
/// </summary>
/// <remarks>
/// Set it in <see cref="CoapEndpointOptions.Cache"/>. Several endpoints may share one if they share a clock; responses from a protected
/// channel stay with their endpoint. Bounded; the least recently used response is evicted first. Requests on behalf of others
/// (<see cref="CoapRequest.OnBehalfOf"/>) have a share for each source, and the largest share loses its entries first. Thread-safe.
/// </remarks>
public sealed class CoapCache : CoapResponseCache
{
    // Each URI has a number that changes when the resource may have changed. A collision of two URIs costs only a response that is not
    // stored.
    private const int Stamps = 1024;

    private readonly Lock _gate = new();
    private readonly CacheStore _store;
    private readonly long[] _stamps = new long[Stamps];
    private TimeProvider? _timeProvider;
    private long _hits;
    private long _misses;
    private long _validations;
    private long _invalidations;

    /// <summary>Creates a cache.</summary>
    /// <param name="maxBytes">The maximum size of all stored responses in bytes, including an estimate of the objects around them. Default
    /// 4 MiB; at least 0.</param>
    /// <param name="maxEntries">The maximum number of requests with stored responses; each has up to four, with different entity-tags.
    /// Default 10,000; at least 0.</param>
    /// <param name="timeProvider">The clock, for a gateway that uses <see cref="Begin"/>; null for that of the first endpoint with the
    /// cache, or of the system without one.</param>
    /// <exception cref="ArgumentOutOfRangeException">A limit is negative.</exception>
    public CoapCache(long maxBytes = 4 << 20, int maxEntries = 10_000, TimeProvider? timeProvider = null)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(maxBytes);
        ArgumentOutOfRangeException.ThrowIfNegative(maxEntries);
        MaxBytes = maxBytes;
        MaxEntries = maxEntries;
        _store = new CacheStore(maxBytes, maxEntries);
        _timeProvider = timeProvider;
    }

    /// <summary>The limit in bytes.</summary>
    public long MaxBytes { get; }

    /// <summary>The limit in requests with stored responses.</summary>
    internal int MaxEntries { get; }

    /// <summary>The estimated number of used bytes.</summary>
    public long Bytes => Read(static cache => cache._store.Bytes);

    /// <summary>The number of requests with stored responses, fresh or not.</summary>
    public int Count => (int)Read(static cache => cache._store.Count);

    /// <summary>The number of requests answered from the cache without a message.</summary>
    public long Hits => Read(static cache => cache._hits);

    /// <summary>The number of cacheable requests without a fresh stored response.</summary>
    public long Misses => Read(static cache => cache._misses);

    /// <summary>
    /// The number of misses in which the server confirmed a stored response as still valid (2.03), without sending its payload again.
    /// </summary>
    public long Validations => Read(static cache => cache._validations);

    /// <summary>The number of requests whose stored responses were evicted for lack of room.</summary>
    public long Evictions => Read(static cache => cache._store.Evictions);

    /// <summary>
    /// The number of requests whose stored responses were marked as stale, because the resource may have changed (RFC 7252 section 5.9.1).
    /// </summary>
    internal long Invalidations => Read(static cache => cache._invalidations);

    internal long Now => CoapEnvironment.ReadClock(_timeProvider ?? TimeProvider.System);

    /// <summary>Looks up a response for a request that a gateway is about to send in its own way, for example over HTTP.</summary>
    /// <remarks>A <see cref="CoapClient"/> with a cache does not need this method.</remarks>
    /// <param name="request">The method, the options that select the response, and the payload of a FETCH. Options of the URI and
    /// entity-tags are ignored.</param>
    /// <param name="uri">The absolute URI of the request, with any scheme; a different text is another resource, except for CoAP schemes,
    /// whose URIs are normalized.</param>
    /// <param name="source">The client of the gateway, for its share; null for the gateway itself.</param>
    /// <returns>The request for the cache; null if its response must not be stored, because of its method or an option (RFC 7252 section
    /// 5.6).</returns>
    /// <exception cref="ArgumentException"><paramref name="uri"/> is empty.</exception>
    public CoapCacheTransaction? Begin(CoapMessage request, string uri, CoapQuotaSource? source = null)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentException.ThrowIfNullOrEmpty(uri);
        if (CacheRules.UseOf(request, request.Options.Registry) == CacheAccessLevel.None)
        {
            return null;
        }

        Attach(_timeProvider ?? TimeProvider.System);
        CacheKey key = CacheKey.OfGateway(CacheKey.Normalize(uri), request);
        return new CoapCacheTransaction(this, key, Find(key, Now, CoapCacheMode.Default, source), source);
    }

    /// <summary>Removes all responses.</summary>
    /// <remarks>Responses to running requests are not stored either. The counts continue.</remarks>
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

    /// <summary>Marks the stored responses of a URI as stale, so that they need validation, for all methods and servers.</summary>
    /// <param name="uri">The absolute URI. A URI of another protocol from a proxy request must have the same text.</param>
    /// <exception cref="CoapFormatException">The text is not an absolute URI, or an invalid CoAP URI.</exception>
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

    internal override ResponseCacheStep MakeStep(CoapEnvironment environment)
    {
        Attach(environment.TimeProvider);
        return new CacheStep(environment, this);
    }

    /// <summary>Binds the cache to a clock, because the times of two clocks cannot be compared.</summary>
    internal void Attach(TimeProvider timeProvider)
    {
        if (Interlocked.CompareExchange(ref _timeProvider, timeProvider, null) is { } other && !ReferenceEquals(other, timeProvider))
        {
            throw new ArgumentException(
                "The cache belongs to endpoints with another TimeProvider. Endpoints share a cache only if they share a clock.");
        }
    }

    /// <summary>Looks up responses for a request.</summary>
    /// <param name="key">The key of the request.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <param name="mode">Whether a fresh response may be used.</param>
    /// <param name="source">The client of a proxy; null for the caller itself.</param>
    internal CacheLookup Find(CacheKey key, long now, CoapCacheMode mode, CoapQuotaSource? source = null)
    {
        StoredResponse? fresh = null;
        StoredResponse[] candidates = [];
        long stamp;
        lock (_gate)
        {
            stamp = StampOf(key.Uri);
            if (_store.TryUse(key, source, out StoredResponseSet? slot))
            {
                fresh = mode == CoapCacheMode.Validate ? null : slot.Fresh(now);
                candidates = fresh is null ? slot.Candidates() : [];
            }

            _ = fresh is null ? _misses++ : _hits++;
        }

        return new CacheLookup(fresh?.ToResponse(now), candidates, stamp);
    }

    internal long Stamp(CacheKey key)
    {
        lock (_gate)
        {
            return StampOf(key.Uri);
        }
    }

    /// <summary>Stores a response if that is allowed; it is then the one to use. If not, older responses need validation.</summary>
    /// <param name="key">The key of its request.</param>
    /// <param name="response">The received response; copied.</param>
    /// <param name="now">The time of its arrival, in units of 100 ns.</param>
    /// <param name="stamp">The state of the URI before the request was sent; null for a notification, which has the newest state.</param>
    /// <param name="source">The client of a proxy; null for the caller itself.</param>
    internal void Store(CacheKey key, CoapResponse response, long now, long? stamp, CoapQuotaSource? source = null)
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

    /// <summary>Processes a 2.03: the response that it names is fresh again (RFC 7252 section 5.6.2).</summary>
    /// <param name="key">The key of the request.</param>
    /// <param name="candidates">The responses whose tags were in the request.</param>
    /// <param name="valid">The 2.03.</param>
    /// <param name="now">The time of its arrival, in units of 100 ns.</param>
    /// <param name="stamp">The state of the URI before the request was sent.</param>
    /// <returns>The response to use; null if the 2.03 names none of them.</returns>
    /// <param name="source">The client of a proxy; null for the caller itself.</param>
    internal CoapResponse? Refresh(
        CacheKey key, StoredResponse[] candidates, CoapMessage valid, long now, long? stamp, CoapQuotaSource? source = null)
    {
        ETagOption? tag = CacheRules.TagOf(valid);
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

    /// <summary>Returns the stored responses of a key that have an entity-tag, newest first.</summary>
    internal StoredResponse[] Candidates(CacheKey key)
    {
        lock (_gate)
        {
            return _store.TryGet(key, out StoredResponseSet? slot) ? slot.Candidates() : [];
        }
    }

    /// <summary>Returns the index of the number of a URI.</summary>
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
