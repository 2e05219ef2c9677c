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
    /// <returns>The answer, which declines an observer who would not hear of changes.</returns>
    public CoapResult? Find(RequestKey key, bool evenIfStale)
    {
        SharedObservation? known;
        lock (_gate)
        {
            known = _entries.GetValueOrDefault(key)?.Observation;
            if (known is { IsOver: false })
            {
                // Whoever gets the answer is an observer in a moment.
                known.Idle = 0;
            }
        }

        CoapResult? current = known?.Current(evenIfStale);
        if (current is not null)
        {
            current.DeclinesObserver = !known!.HearsOfChanges;
        }

        return current;
    }

    /// <summary>Whether those who observe something hear of changes, or will when the registration that is under way is made.</summary>
    /// <param name="key">What is observed.</param>
    public bool HearsOfChanges(RequestKey key)
    {
        lock (_gate)
        {
            return _entries.TryGetValue(key, out Entry? entry) && entry.Observation.HearsOfChanges;
        }
    }

    /// <summary>Observes something for a client, or joins those who do.</summary>
    /// <param name="key">What is observed.</param>
    /// <param name="route">The route that is observed downstream.</param>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>
    /// The answer, null when it has to be asked for as without Observe; and what the client joined, for <see cref="Leave"/> when the answer
    /// is there: null when there is no room, or the server does not notify.
    /// </returns>
    public async Task<(CoapResult? Answer, SharedObservation? Joined)> JoinAsync(
        RequestKey key, CoapRouteHandlerBuilder route, CoapProxyRequest request, CancellationToken cancellationToken)
    {
        Entry entry;
        bool isNew = false;
        lock (_gate)
        {
            if (_entries.TryGetValue(key, out Entry? known) && !known.Observation.IsOver)
            {
                entry = known;
            }
            else
            {
                CoapSource source = request.Received.Peer.Source;
                if (!_shares.TryEnter(source))
                {
                    return (null, null);
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

            // Nobody may end it while the answer is under way, however long that takes.
            entry.Observation.Joining++;
        }

        if (isNew)
        {
            _ = BeginAsync(key, entry, request);
        }

        bool hasJoined = false;
        try
        {
            CoapResult? first = await entry.First.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
            hasJoined = first is { DeclinesObserver: false };
            return !hasJoined ? (first, null)
                : (isNew ? first : entry.Observation.Current(evenIfStale: false), entry.Observation);
        }
        finally
        {
            if (!hasJoined)
            {
                Leave(entry.Observation);
            }
        }
    }

    /// <summary>A request that joined is answered: from now on its client counts as an observer, or not at all.</summary>
    /// <param name="joined">What it joined; null for nothing.</param>
    public void Leave(SharedObservation? joined)
    {
        if (joined is null)
        {
            return;
        }

        lock (_gate)
        {
            // The server notes the observer a moment later.
            joined.Joining--;
            joined.Idle = 0;
        }
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
            SharedObservation observation = entry.Observation;
            bool isIdle = entry.First.Task.IsCompleted && (observation.IsOver || observation.Observers == 0);
            lock (_gate)
            {
                isIdle &= observation.IsOver || observation.Joining == 0;
                observation.Idle = isIdle ? observation.Idle + 1 : 0;
                if (observation.Idle >= 2 && _entries.GetValueOrDefault(key) == entry)
                {
                    Remove(key, entry);
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
