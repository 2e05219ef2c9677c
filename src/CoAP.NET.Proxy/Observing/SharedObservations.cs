using CoAP.NET.Diagnostics;
using CoAP.NET.Guarding;
using CoAP.NET.Proxy.Admission;
using CoAP.NET.Proxy.Forwarding;

namespace CoAP.NET.Proxy.Observing;

/// <summary>
/// All registrations of a proxy at servers for its clients, at most one per equal request, and per client if the response depends on it
/// (RFC 7641 section 5). A registration without observers ends after a few seconds. Thread-safe.
/// </summary>
internal sealed class SharedObservations : IDisposable
{
    private static readonly TimeSpan s_sweepEvery = TimeSpan.FromSeconds(10);

    private readonly Lock _gate = new();
    private readonly Dictionary<RequestKey, Entry> _entries = [];
    private readonly SourceQuota _shares;
    private readonly TimeProvider _time;
    private readonly EventCounter<ProxyCounterKind> _counts;
    private readonly ITimer _timer;

    /// <summary>Creates the set.</summary>
    /// <param name="time">The clock.</param>
    /// <param name="max">The maximum number of registrations.</param>
    /// <param name="maxOfSource">The maximum number of registrations started by clients of one source.</param>
    /// <param name="counts">The counters.</param>
    public SharedObservations(TimeProvider time, int max, int maxOfSource, EventCounter<ProxyCounterKind> counts)
    {
        _counts = counts;
        _time = time;
        _shares = new SourceQuota(max, maxOfSource);
        _timer = time.CreateTimer(static all => ((SharedObservations)all!).Sweep(), this, Timeout.InfiniteTimeSpan,
            Timeout.InfiniteTimeSpan);
    }

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

    /// <summary>Returns the known response of an existing observation; null if there is none or it may have changed.</summary>
    /// <returns>The response, which declines an observer that would not get changes.</returns>
    public CoapResult? Find(RequestKey key, bool evenIfStale)
    {
        SharedObservation? known;
        lock (_gate)
        {
            known = _entries.GetValueOrDefault(key)?.Observation;
            if (known is { IsOver: false })
            {
                // The client that gets the response is about to become an observer.
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

    /// <summary>Whether the observers of a key get changes, or will after the pending registration.</summary>
    public bool HearsOfChanges(RequestKey key)
    {
        lock (_gate)
        {
            return _entries.TryGetValue(key, out Entry? entry) && entry.Observation.HearsOfChanges;
        }
    }

    /// <summary>Starts an observation for a client, or joins an existing one.</summary>
    /// <returns>The response, null if the client has to be answered as without Observe; and the joined observation, for <see cref="Leave"/>
    /// after the response: null if there is no room, or the server does not notify.</returns>
    public async Task<(CoapResult? Answer, SharedObservation? Joined)> JoinAsync(
        RequestKey key, CoapRouteHandlerBuilder route, CoapForwardedRequest request, CancellationToken cancellationToken)
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
                if (!_shares.TryEnter(request.Source))
                {
                    return (null, null);
                }

                if (known is not null)
                {
                    Remove(key, known);
                }

                entry = new Entry(new SharedObservation(_time, route, request.Received, key.Client, _counts), request.Source);
                _entries[key] = entry;
                isNew = true;
                _timer.Change(s_sweepEvery, s_sweepEvery);
            }

            // Keeps the observation alive while the response is on its way, however long that takes.
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

    /// <summary>Ends joining: the request was answered, and its client now counts as an observer, or not at all.</summary>
    /// <param name="joined">The joined observation; null for none.</param>
    public void Leave(SharedObservation? joined)
    {
        if (joined is null)
        {
            return;
        }

        lock (_gate)
        {
            // The server registers the observer a moment later.
            joined.Joining--;
            joined.Idle = 0;
        }
    }

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

    // Runs for all clients with an equal request; the first client may leave early.
    private async Task BeginAsync(RequestKey key, Entry entry, CoapForwardedRequest request)
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
#pragma warning disable CA1031 // the waiting callers get every failure
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

        // Counting takes the locks of the server and must not happen under this one.
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

    private sealed record Entry(SharedObservation Observation, CoapQuotaSource Source)
    {
        public TaskCompletionSource<CoapResult?> First { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
