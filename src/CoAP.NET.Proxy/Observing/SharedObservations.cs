using CoAP.NET.Proxy.Admission;
using CoAP.NET.Proxy.Forwarding;

namespace CoAP.NET.Proxy.Observing;

/// <summary>
/// All registrations that a proxy has at servers for its clients, at most one for what is equal (RFC 7641 section 5). One that nobody
/// observes any more ends after some seconds. Thread-safe.
/// </summary>
internal sealed class SharedObservations : IDisposable
{
    private static readonly TimeSpan s_sweepEvery = TimeSpan.FromSeconds(10);

    private readonly Lock _gate = new();
    private readonly Dictionary<RequestKey, Entry> _entries = [];
    private readonly CoapRequestShares _shares;
    private readonly TimeProvider _time;
    private readonly ProxyCounts _counts;
    private readonly ITimer _timer;

    /// <summary>Makes it.</summary>
    /// <param name="time">The clock.</param>
    /// <param name="max">How many there may be.</param>
    /// <param name="maxOfSource">How many that clients of one source began.</param>
    /// <param name="counts">Counts.</param>
    public SharedObservations(TimeProvider time, int max, int maxOfSource, ProxyCounts counts)
    {
        _counts = counts;
        _time = time;
        _shares = new CoapRequestShares(max, maxOfSource);
        _timer = time.CreateTimer(static all => ((SharedObservations)all!).Sweep(), this, Timeout.InfiniteTimeSpan,
            Timeout.InfiniteTimeSpan);
    }

    /// <summary>How many there are.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _entries.Count;
            }
        }
    }

    /// <summary>What is known of what is observed already; null when it is not, or may have changed.</summary>
    /// <param name="key">What is observed.</param>
    /// <param name="evenIfStale">Whether it counts although its time is over.</param>
    public CoapResult? Find(RequestKey key, bool evenIfStale)
    {
        SharedObservation? known;
        lock (_gate)
        {
            known = _entries.GetValueOrDefault(key)?.Observation;
        }

        return known?.Current(evenIfStale);
    }

    /// <summary>Observes something for a client, or joins those who do.</summary>
    /// <param name="key">What is observed.</param>
    /// <param name="route">The route that is observed downstream.</param>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The answer, null when it has to be asked for as without Observe; and whether the client hears of changes from now on: not
    /// when there is no room, or the server does not notify.</returns>
    public async Task<(CoapResult? Answer, bool IsObserved)> JoinAsync(
        RequestKey key, CoapRouteHandlerBuilder route, CoapProxyRequest request, CancellationToken cancellationToken)
    {
        Entry entry;
        bool isNew = false;
        lock (_gate)
        {
            if (_entries.TryGetValue(key, out Entry? known) && !known.Observation.IsOver)
            {
                entry = known;
                entry.Observation.Idle = 0;
            }
            else
            {
                CoapSource source = request.Received.Peer.Source;
                if (!_shares.TryEnter(source))
                {
                    return (null, false);
                }

                if (known is not null)
                {
                    Remove(key, known);
                }

                entry = new Entry(new SharedObservation(_time, route, request.Received, _counts), source);
                _entries[key] = entry;
                isNew = true;
                _timer.Change(s_sweepEvery, s_sweepEvery);
            }
        }

        if (isNew)
        {
            _ = BeginAsync(key, entry, request);
        }

        CoapResult? first = await entry.First.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        return first is null || first.DeclinesObserver ? (first, false)
            : (isNew ? first : entry.Observation.Current(evenIfStale: false), true);
    }

    /// <summary>Ends all.</summary>
    public void Dispose()
    {
        _timer.Dispose();
        lock (_gate)
        {
            foreach ((RequestKey key, Entry entry) in _entries.ToArray())
            {
                Remove(key, entry);
            }
        }
    }

    // For all who ask the same meanwhile; whoever came first may leave before.
    private async Task BeginAsync(RequestKey key, Entry entry, CoapProxyRequest request)
    {
        try
        {
            CoapResult? first = await entry.Observation.BeginAsync(key.Upstream, request, CancellationToken.None).ConfigureAwait(false);
            if (first is null || first.DeclinesObserver)
            {
                Forget(key, entry);
            }

            entry.First.TrySetResult(first);
        }
#pragma warning disable CA1031 // whatever went wrong is for those who wait
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Forget(key, entry);
            entry.First.TrySetException(exception);
            _ = entry.First.Task.Exception;
        }
    }

    private void Forget(RequestKey key, Entry entry)
    {
        lock (_gate)
        {
            if (_entries.GetValueOrDefault(key) == entry)
            {
                Remove(key, entry);
            }
        }
    }

    private void Sweep()
    {
        (RequestKey Key, Entry Entry)[] all;
        lock (_gate)
        {
            all = [.. _entries.Select(static pair => (pair.Key, pair.Value))];
        }

        // Counting takes the locks of the server, so not under this one.
        foreach ((RequestKey key, Entry entry) in all)
        {
            if (entry.First.Task.IsCompleted && (entry.Observation.IsOver || entry.Observation.Observers == 0))
            {
                lock (_gate)
                {
                    if (_entries.GetValueOrDefault(key) == entry && ++entry.Observation.Idle >= 2)
                    {
                        Remove(key, entry);
                    }
                }
            }
        }
    }

    private void Remove(RequestKey key, Entry entry)
    {
        _entries.Remove(key);
        _shares.Exit(entry.Source);
        entry.Observation.End();
        if (_entries.Count == 0)
        {
            _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }
    }

    private sealed record Entry(SharedObservation Observation, CoapSource Source)
    {
        public TaskCompletionSource<CoapResult?> First { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
