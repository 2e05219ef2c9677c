using System.Collections.Concurrent;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Writing;
using CoAP.NET.Observing;

namespace CoAP.NET.Cluster.Observing;

/// <summary>
/// Restores the observers of a server for new slots of this node: each when the session of its client arrives, at the configured rate.
/// Observers whose session does not return are removed. Thread-safe.
/// </summary>
#pragma warning disable CA1001 // its loop disposes of its fields
internal sealed class ObserverRestorer
#pragma warning restore CA1001
{
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_look = TimeSpan.FromMinutes(1);

    // Sessions load in parallel, and later if the store is slow.
    private static readonly TimeSpan s_awaitsSession = TimeSpan.FromMinutes(5);

    // Longer than the retransmissions of a notification (RFC 7252 section 4.8.2), including the wait for others to the same client.
    private static readonly TimeSpan s_remembers = TimeSpan.FromMinutes(15);

    private readonly ClusterObserverStore _observerStore;
    private readonly CoapCluster _cluster;
    private readonly ClusterObserverStores _observers;
    private readonly CoapServer _server;
    private readonly TimeProvider _time;
    private readonly CancellationTokenSource _stop = new();
    private readonly SlotRecordLoader _records;
    private readonly Lock _gate = new();
    private readonly Dictionary<string, List<AwaitedClient>> _bySession = new(StringComparer.Ordinal);
    private readonly Queue<(CoapPeer? Peer, AwaitedClient Observer)> _ready = new();

    // The recently restored observers: the time, and whether it was the last attempt while they are awake.
    private readonly ConcurrentDictionary<CoapRecordKey, (long Restored, bool IsLast)> _unheard = new();
    private readonly WakeSignal _wake = new();
    private readonly FirstNotificationNumber _numbers;
    private long _looked;
    private bool _mustLoad = true;
    private bool _isStopped;
    private int _count;

    /// <summary>Starts when the server has started.</summary>
    public ObserverRestorer(ClusterObserverStore observerStore, CoapServer server)
    {
        _observerStore = observerStore;
        _cluster = observerStore.Cluster;
        _observers = _cluster.Observers;
        _server = server;
        _records = new SlotRecordLoader(_cluster, CoapRecordKind.Observer);
        _time = _observers.Time;
        _numbers = new FirstNotificationNumber(observerStore, _time);
        _looked = _time.GetTimestamp();
        _cluster.MapChanged += OnMapChanged;
        _server.Endpoint.PeerConnected += OnConnected;
        _ = RunAsync();
    }

    public void Stop()
    {
        lock (_gate)
        {
            if (_isStopped)
            {
                return;
            }

            _isStopped = true;
        }

        _stop.Cancel();
    }

    /// <summary>
    /// Handles a client that did not acknowledge its first notification. A client that has been silent since then may sleep: it is restored
    /// again after its next message. For a client that sent messages, a load balancer may have blocked this node before: it is restored
    /// once more.
    /// </summary>
    /// <returns>Whether it will be restored again.</returns>
    public bool TryAwaitAwake(CoapRecordKey key, CoapPersistedObserver observer)
    {
        CoapPeer peer = observer.Peer;
        if (!_unheard.TryRemove(key, out (long Restored, bool IsLast) put) || (!peer.DurableId.IsEmpty && !peer.IsConnected))
        {
            return false;
        }

        AwaitedClient again = new(key, _observerStore.StateOf(observer), _cluster.FenceOf(key.Slot), 0);
        if (_time.GetUtcNow() - peer.LastSeen >= _time.GetElapsedTime(put.Restored))
        {
            _ = AwaitAwakeAsync(peer, again);
            return true;
        }

        lock (_gate)
        {
            if (_isStopped || put.IsLast)
            {
                return false;
            }

            _ready.Enqueue((peer, again with { IsLast = true }));
            Count(1);
        }

        _wake.Wake();
        return true;
    }

    private async Task AwaitAwakeAsync(CoapPeer peer, AwaitedClient observer)
    {
        _observers.NoteAwaited(1);
        try
        {
            await peer.WhenHeardAsync(_stop.Token).ConfigureAwait(false);
            lock (_gate)
            {
                if (_isStopped)
                {
                    return;
                }

                _ready.Enqueue((peer, observer));
                Count(1);
            }

            _wake.Wake();
        }
        catch (OperationCanceledException)
        {
            // The server or the cluster ends.
        }
        finally
        {
            _observers.NoteAwaited(-1);
        }
    }

    private void OnMapChanged(object? sender, EventArgs arguments)
    {
        Volatile.Write(ref _mustLoad, true);
        _wake.Wake();
    }

    // Usually no observer waits.
    private void OnConnected(object? sender, CoapPeer peer)
    {
        if (Volatile.Read(ref _count) > 0)
        {
            bool isAwaited;
            lock (_gate)
            {
                isAwaited = Match(peer);
            }

            if (isAwaited)
            {
                _wake.Wake();
            }
        }
    }

    private async Task RunAsync()
    {
        try
        {
            await _server.Started.WaitAsync(_stop.Token).ConfigureAwait(false);
            while (true)
            {
                Task wake = _wake.Next;
                TimeSpan pause = await StepAsync(_stop.Token).ConfigureAwait(false);
                await wake.WaitAsync(pause, _time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                _stop.Token.ThrowIfCancellationRequested();
            }
        }
        catch (OperationCanceledException)
        {
            // The server or the cluster ends.
        }
        finally
        {
            _cluster.MapChanged -= OnMapChanged;
            _server.Endpoint.PeerConnected -= OnConnected;
            lock (_gate)
            {
                _observers.NoteAwaited(-_count);
                _count = 0;
                _bySession.Clear();
                _ready.Clear();
            }
        }
    }

    // Returns the time until the next work without an event.
    private async Task<TimeSpan> StepAsync(CancellationToken cancellationToken)
    {
        if (Interlocked.Exchange(ref _mustLoad, false))
        {
            try
            {
                await LoadAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (CoapClusterStoreException)
            {
                // The cluster reports the failure.
                Volatile.Write(ref _mustLoad, true);
                return s_retry;
            }
        }

        int perSecond = _observers.Options.RestoresPerSecond;
        int most = Math.Max(1, perSecond / 20);
        int done = 0;
        while (done < most && TryTake(out CoapPeer? peer, out AwaitedClient? observer))
        {
            Restore(peer, observer!);
            done++;
        }

        if (done > 0)
        {
            // Events must not make it faster.
            await Task.Delay(TimeSpan.FromSeconds((double)done / perSecond), _time, cancellationToken).ConfigureAwait(false);
            return TimeSpan.Zero;
        }

        Expire();
        return Volatile.Read(ref _count) > 0 || !_unheard.IsEmpty ? s_look : Timeout.InfiniteTimeSpan;
    }

    private async Task LoadAsync(CancellationToken cancellationToken)
    {
        DropLost();
        bool hasRead = false;
        try
        {
            await _records.LoadAsync((fence, records) => hasRead |= Load(fence, records), cancellationToken).ConfigureAwait(false);

            // Before any observer is restored.
            await _numbers.WriteAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            // Sessions that arrived earlier; also if the store fails midway, because records are not read twice.
            foreach (CoapPeer peer in hasRead ? _server.Endpoint.ConnectedPeers : [])
            {
                lock (_gate)
                {
                    _ = Match(peer);
                }
            }
        }
    }

    private bool Load(CoapFencingToken fence, List<CoapRecord> records)
    {
        bool hasFound = false;
        foreach (CoapRecord record in records)
        {
            if (_observerStore.ClientOf(record.Key).IsEmpty)
            {
                _numbers.Read(record);
            }
            else
            {
                Add(new AwaitedClient(record.Key, record.State, fence, _time.GetTimestamp()));
                hasFound = true;
            }
        }

        if (hasFound)
        {
            _numbers.Rise();
        }

        return hasFound;
    }

    private void Add(AwaitedClient observer)
    {
        ReadOnlySpan<byte> client = _observerStore.ClientOf(observer.Key);
        if (ObserverClientId.TryGetAddresses(client, out _, out _))
        {
            lock (_gate)
            {
                _ready.Enqueue((null, observer));
                Count(1);
            }

            return;
        }

        string session = Convert.ToHexString(ObserverClientId.SessionOf(client));
        lock (_gate)
        {
            if (!_bySession.TryGetValue(session, out List<AwaitedClient>? observers))
            {
                _bySession.Add(session, observers = []);
            }

            observers.Add(observer);
            Count(1);
        }
    }

    private bool Match(CoapPeer peer)
    {
        ReadOnlyMemory<byte> session = peer.DurableId;
        if (session.IsEmpty || !_bySession.Remove(Convert.ToHexString(session.Span), out List<AwaitedClient>? observers))
        {
            return false;
        }

        observers.ForEach(observer => _ready.Enqueue((peer, observer)));
        return true;
    }

    private bool TryTake(out CoapPeer? peer, out AwaitedClient? observer)
    {
        lock (_gate)
        {
            bool isTaken = _ready.TryDequeue(out (CoapPeer? Peer, AwaitedClient Observer) next);
            (peer, observer) = next;
            if (isTaken)
            {
                Count(-1);
            }

            return isTaken;
        }
    }

    private void Restore(CoapPeer? peer, AwaitedClient observer)
    {
        // Another node has taken the slot, and the client with it.
        if (_cluster.FenceOf(observer.Key.Slot) != observer.Fence)
        {
            return;
        }

        // If it observed another local address, for example on another machine, this node cannot notify it; its record expires.
        peer ??= ObserverClientId.TryGetAddresses(_observerStore.ClientOf(observer.Key), out CoapAddress remote, out CoapAddress local)
            ? _server.FindPeer(remote, local)
            : null;
        if (peer is null)
        {
            _observers.NoteRefused();
            return;
        }

        // Before: it may be lost at once.
        _unheard[observer.Key] = (_time.GetTimestamp(), observer.IsLast);
        CoapObserverRestoreResult? result = _observerStore.Restore(_server, peer, observer.Key, observer.State, _numbers.From);
        if (result != CoapObserverRestoreResult.Restored)
        {
            _unheard.TryRemove(observer.Key, out _);
        }

        switch (result)
        {
            case CoapObserverRestoreResult.Restored:
                _observers.NoteRestored();
                break;
            case CoapObserverRestoreResult.Gone:
                // Either it moves with its slot, whose next owner reads the record, or its session is awaited and found missing.
                Add(observer with { Since = _time.GetTimestamp() });
                break;
            case CoapObserverRestoreResult.NotServed or CoapObserverRestoreResult.NoCapacity:
                _observers.NoteRefused();
                _observers.Queue.Remove(observer.Key, peer.Source);
                break;
        }
    }

    // Records read under another fence belong to another node, or are read again.
    private void DropLost()
    {
        lock (_gate)
        {
            foreach ((string session, List<AwaitedClient> observers) in _bySession.ToArray())
            {
                if (_cluster.FenceOf(observers[0].Key.Slot) != observers[0].Fence)
                {
                    _bySession.Remove(session);
                    Count(-observers.Count);
                }
            }
        }
    }

    private void Expire()
    {
        // While the store is unavailable, sessions may arrive later.
        if (_cluster.Health.IsDegraded || _time.GetElapsedTime(_looked) < s_look)
        {
            return;
        }

        _looked = _time.GetTimestamp();
        foreach ((CoapRecordKey key, (long restored, _)) in _unheard)
        {
            if (_time.GetElapsedTime(restored) >= s_remembers)
            {
                _unheard.TryRemove(key, out _);
            }
        }

        lock (_gate)
        {
            foreach ((string session, List<AwaitedClient> observers) in _bySession.ToArray())
            {
                if (_time.GetElapsedTime(observers[0].Since) < s_awaitsSession)
                {
                    continue;
                }

                _bySession.Remove(session);
                Count(-observers.Count);
                foreach (AwaitedClient observer in observers)
                {
                    _observers.NoteExpired();
                    _observers.Queue.Remove(observer.Key, default);
                }
            }
        }
    }

    private void Count(int more)
    {
        _observers.NoteAwaited(more);
        Volatile.Write(ref _count, _count + more);
    }

    /// <summary>A loaded observer.</summary>
    /// <param name="Key">The key of its record.</param>
    /// <param name="State">The state of its record.</param>
    /// <param name="Fence">The fence of this node at that time.</param>
    /// <param name="Since">The time, as a timestamp of the clock.</param>
    private sealed record AwaitedClient(CoapRecordKey Key, ReadOnlyMemory<byte> State, CoapFencingToken Fence, long Since)
    {
        /// <summary>Whether this is the last attempt, unless the client stays silent afterwards.</summary>
        public bool IsLast { get; init; }
    }
}
