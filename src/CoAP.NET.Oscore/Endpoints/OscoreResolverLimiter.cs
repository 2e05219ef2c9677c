using CoAP.NET.Execution;
using CoAP.NET.Guarding;
using CoAP.NET.Oscore.Telemetry;

namespace CoAP.NET.Oscore.Endpoints;

/// <summary>
/// Requests unknown contexts from an <see cref="IOscoreContextResolver"/>, for the peers of one shard. Any sender can invent IDs, so it
/// limits concurrent lookups, in total and per source, and records unknown IDs in a fixed-size table. Thread-safe.
/// </summary>
internal sealed class OscoreResolverLimiter
{
    private readonly OscoreContexts _contexts;
    private readonly OscoreLimits _limits;
    private readonly CoapSourceGroupingRule _sourceRule;
    private readonly TimeProvider _time;
    private readonly OscoreTelemetry? _telemetry;
    private readonly Lock _gate = new();

    // Guarded by the gate.
    private readonly SourceRateLimiter _rates;
    private readonly RateLimit _unverified;
    private long _unverifiedUntil = long.MinValue;
    private readonly Dictionary<OscoreContextLookupKey, Task<OscoreLookupResult>> _pending = [];
    private readonly SourceLedger<CoapQuotaSource> _sources;

    // One place per hash: another ID in the same place causes a repeated lookup, which costs less than a growing table.
    private readonly (OscoreContextLookupKey Recipient, long Since)[] _unknown;

    public OscoreResolverLimiter(
        OscoreContexts contexts, CoapSourceGroupingRule sourceRule, CoapRandomSource random, TimeProvider time, OscoreTelemetry? telemetry)
    {
        _contexts = contexts;
        _limits = contexts.Limits;
        _sourceRule = sourceRule;
        _time = time;
        _sources = new SourceLedger<CoapQuotaSource>(_limits.MaxLookups, _limits.MaxLookupsPerSource);
        _telemetry = telemetry;
        _rates = new SourceRateLimiter(random, RateLimit.PerSecond(_limits.LookupsPerSecond, _limits.LookupBurst));
        _unknown = new (OscoreContextLookupKey, long)[_limits.MaxUnknownIds];
        _unverified = RateLimit.PerSecond(_limits.UnverifiedLookupsPerSecond, _limits.UnverifiedLookupBurst);
    }

    /// <summary>Finds a context.</summary>
    /// <param name="resolver">The resolver.</param>
    /// <param name="remote">The peer that sent the request.</param>
    /// <param name="isVerified">Whether the peer has proved its address.</param>
    /// <param name="recipient">The ID.</param>
    /// <param name="mustVerify">Whether it has to prove it first.</param>
    /// <returns>The context; none also if too many lookups are pending.</returns>
    public Task<OscoreLookupResult> FindAsync(
        IOscoreContextResolver resolver, in CoapAddress remote, bool isVerified, OscoreContextLookupKey recipient, out bool mustVerify)
    {
        mustVerify = false;
        CoapQuotaSource source = _sourceRule.Of(remote);
        TaskCompletionSource<OscoreLookupResult> asked;
        lock (_gate)
        {
            if (_pending.TryGetValue(recipient, out Task<OscoreLookupResult>? pending))
            {
                return pending;
            }

            if (IsUnknown(recipient))
            {
                return Task.FromResult(default(OscoreLookupResult));
            }

            // The source's quota comes first: one source alone takes little of the quota for all unverified addresses, and has to prove its
            // address no more often than the resolver gets its IDs.
            long now = CoapEnvironment.ReadClock(_time);
            bool isBeyondShare = !_sources.HasRoom(source) || !_rates.TryDraw(source, 1, now);
            if (isBeyondShare || (!isVerified && !_unverified.TryDraw(_unverifiedUntil, 1, now, out _unverifiedUntil)))
            {
                mustVerify = !isBeyondShare;
                _telemetry?.Count(OscoreMetric.LookupRefused);
                return Task.FromResult(default(OscoreLookupResult));
            }

            asked = new TaskCompletionSource<OscoreLookupResult>(TaskCreationOptions.RunContinuationsAsynchronously);
            _pending.Add(recipient, asked.Task);
            _sources.Take(source);
        }

        return AskAsync(resolver, source, recipient, asked);
    }

    private async Task<OscoreLookupResult> AskAsync(
        IOscoreContextResolver resolver, CoapQuotaSource source, OscoreContextLookupKey recipient,
            TaskCompletionSource<OscoreLookupResult> asked)
    {
        OscoreContext? found = null;
        OscoreStoreException? elsewhere = null;
        bool isKnown = false;
        try
        {
            using CancellationTokenSource over = new(_contexts.ResolveTimeout, _time);
            found = await resolver.FindAsync(recipient.Kid, recipient.IdContext, over.Token).AsTask()
                .WaitAsync(over.Token).ConfigureAwait(false);
            isKnown = true;
            if (found is null)
            {
                _telemetry?.Count(OscoreMetric.ContextNotFound);
            }
            else if (_contexts.TryAdd(found, recipient))
            {
                _telemetry?.ContextFound(found, recipient);
            }
            else
            {
                _telemetry?.LookupWrong(found, recipient);
                found = null;
            }
        }
        catch (OscoreStoreException exception) when (exception.Elsewhere is not null)
        {
            elsewhere = exception;
        }
#pragma warning disable CA1031 // after any exception of a resolver there is no context now, and the next request tries again
        catch (Exception exception)
#pragma warning restore CA1031
        {
            _telemetry?.LookupFailed(recipient, exception);
        }

        lock (_gate)
        {
            _pending.Remove(recipient);
            _sources.Return(source);
            if (found is null && isKnown)
            {
                _unknown[PlaceOf(recipient)] = (recipient, _time.GetTimestamp());
            }
        }

        OscoreLookupResult result = new(found, elsewhere);
        asked.SetResult(result);
        return result;
    }

    private int PlaceOf(OscoreContextLookupKey recipient) => (int)((uint)recipient.GetHashCode() % (uint)_unknown.Length);

    private bool IsUnknown(OscoreContextLookupKey recipient)
    {
        ref (OscoreContextLookupKey Recipient, long Since) place = ref _unknown[PlaceOf(recipient)];
        return !place.Recipient.IsDefault && place.Recipient.Equals(recipient)
            && _time.GetElapsedTime(place.Since) < _limits.UnknownIdTime;
    }
}
