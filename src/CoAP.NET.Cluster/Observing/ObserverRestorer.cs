using System.Collections.Concurrent;
using CoAP.NET.Transports;

namespace CoAP.NET.Cluster;

/// <summary>
/// Puts the observers of a server back whose slots this node has got: each when the session of its client is there, and so many in a second
/// as the options say. Those whose session does not come back are removed. Thread-safe.
/// </summary>
#pragma warning disable CA1001 // its loop disposes of what it has
internal sealed class ObserverRestorer
#pragma warning restore CA1001
{
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_look = TimeSpan.FromMinutes(1);

    // Sessions are loaded beside this, and where the store is slow they come later.
    private static readonly TimeSpan s_awaitsSession = TimeSpan.FromMinutes(5);

    // Longer than a notification is repeated (RFC 7252 section 4.8.2), and waits for others of its client.
    private static readonly TimeSpan s_remembers = TimeSpan.FromMinutes(15);

    private readonly ClusterObserverKeeper _keeper;
    private readonly CoapCluster _cluster;
    private readonly ClusterObservers _observers;
    private readonly CoapServer _server;
    private readonly TimeProvider _time;
    private readonly CancellationTokenSource _stop = new();
    private readonly CoapFence[] _loaded = new CoapFence[CoapSlot.Count];
    private readonly Lock _gate = new();
    private readonly Dictionary<string, List<Awaited>> _bySession = new(StringComparer.Ordinal);
    private readonly Queue<(CoapPeer? Peer, Awaited Observer)> _ready = new();

    // Those that were put back a short while ago: when, and whether for the last time while they are awake.
    private readonly ConcurrentDictionary<CoapRecordKey, (long Restored, bool IsLast)> _unheard = new();
    private readonly WakeSignal _wake = new();
    private readonly NumberFloor _numbers;
    private long _looked;
    private bool _mustLoad = true;
    private bool _isStopped;
    private int _count;

    /// <summary>Begins, when the server has started.</summary>
    public ObserverRestorer(ClusterObserverKeeper keeper, CoapServer server)
    {
        _keeper = keeper;
        _cluster = keeper.Cluster;
        _observers = _cluster.Observers;
        _server = server;
        _time = _observers.Time;
        _numbers = new NumberFloor(keeper, _time);
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
    /// A client did not acknowledge what it was told first. If it has not been heard since it was put back, it may sleep: then it was woken
    /// for nothing that it asked for, and is put back again when something of it comes. If it has been heard, a balancer may have let
    /// nothing through to it from this node before: it is put back once more.
    /// </summary>
    /// <param name="key">The key of its record.</param>
    /// <param name="observer">The observer.</param>
    /// <returns>Whether it is put back again.</returns>
    public bool TryAwaitAwake(CoapRecordKey key, CoapKeptObserver observer)
    {
        CoapPeer peer = observer.Peer;
        if (!_unheard.TryRemove(key, out (long Restored, bool IsLast) put) || (!peer.DurableId.IsEmpty && !peer.IsConnected))
        {
            return false;
        }

        Awaited again = new(key, _keeper.StateOf(observer), _cluster.FenceOf(key.Slot), 0);
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

    private async Task AwaitAwakeAsync(CoapPeer peer, Awaited observer)
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

    // Mostly nobody waits for anybody.
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

    // Gives how long there is nothing to do, unless something happens.
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
                // The cluster tells of it.
                Volatile.Write(ref _mustLoad, true);
                return s_retry;
            }
        }

        int perSecond = _observers.Options.RestoresPerSecond;
        int most = Math.Max(1, perSecond / 20);
        int done = 0;
        while (done < most && TryTake(out CoapPeer? peer, out Awaited? observer))
        {
            Restore(peer, observer!);
            done++;
        }

        if (done > 0)
        {
            // Whatever happens meanwhile makes it no faster.
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
            foreach (CoapSlot slot in CoapSlot.All)
            {
                CoapFence fence = _cluster.FenceOf(slot);
                if (fence.IsSet && _loaded[slot.Number] != fence)
                {
                    hasRead |= await LoadAsync(slot, fence, cancellationToken).ConfigureAwait(false);
                }
            }

            // Before anybody is put back.
            await _numbers.WriteAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            // Sessions that were there before; also when the store goes away in the middle, as what was read is not read again.
            foreach (CoapPeer peer in hasRead ? _server.Endpoint.ConnectedPeers : [])
            {
                lock (_gate)
                {
                    _ = Match(peer);
                }
            }
        }
    }

    private async Task<bool> LoadAsync(CoapSlot slot, CoapFence fence, CancellationToken cancellationToken)
    {
        List<Awaited> found = [];
        await foreach (CoapRecord record in _cluster.Store.ReadAsync(CoapRecordKind.Observer, slot, cancellationToken)
            .ConfigureAwait(false))
        {
            if (!_keeper.ClientOf(record.Key).IsEmpty)
            {
                found.Add(new Awaited(record.Key, record.State, fence, _time.GetTimestamp()));
            }
            else
            {
                _numbers.Read(record);
            }
        }

        _loaded[slot.Number] = fence;
        found.ForEach(Add);
        if (found.Count > 0)
        {
            _numbers.Rise();
        }

        return found.Count > 0;
    }

    private void Add(Awaited observer)
    {
        ReadOnlySpan<byte> client = _keeper.ClientOf(observer.Key);
        if (ObserverClient.TryGetAddresses(client, out _, out _))
        {
            lock (_gate)
            {
                _ready.Enqueue((null, observer));
                Count(1);
            }

            return;
        }

        string session = Convert.ToHexString(ObserverClient.SessionOf(client));
        lock (_gate)
        {
            if (!_bySession.TryGetValue(session, out List<Awaited>? observers))
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
        if (session.IsEmpty || !_bySession.Remove(Convert.ToHexString(session.Span), out List<Awaited>? observers))
        {
            return false;
        }

        observers.ForEach(observer => _ready.Enqueue((peer, observer)));
        return true;
    }

    private bool TryTake(out CoapPeer? peer, out Awaited? observer)
    {
        lock (_gate)
        {
            bool isTaken = _ready.TryDequeue(out (CoapPeer? Peer, Awaited Observer) next);
            (peer, observer) = next;
            if (isTaken)
            {
                Count(-1);
            }

            return isTaken;
        }
    }

    private void Restore(CoapPeer? peer, Awaited observer)
    {
        // Another node has the slot meanwhile, and the client with it.
        if (_cluster.FenceOf(observer.Key.Slot) != observer.Fence)
        {
            return;
        }

        // Where it observed another address than ours, as on another machine, nobody here can notify it; the record ends by itself.
        peer ??= ObserverClient.TryGetAddresses(_keeper.ClientOf(observer.Key), out CoapAddress remote, out CoapAddress local)
            ? _server.FindPeer(remote, local)
            : null;
        if (peer is null)
        {
            _observers.NoteRefused();
            return;
        }

        // Before: it may be lost at once.
        _unheard[observer.Key] = (_time.GetTimestamp(), observer.IsLast);
        CoapObserverRestore? result = _keeper.Restore(_server, peer, observer.Key, observer.State, _numbers.From);
        if (result != CoapObserverRestore.Restored)
        {
            _unheard.TryRemove(observer.Key, out _);
        }

        switch (result)
        {
            case CoapObserverRestore.Restored:
                _observers.NoteRestored();
                break;
            case CoapObserverRestore.Gone:
                // It goes with its slot, whose next owner reads the record, or its session is awaited and found missing.
                Add(observer with { Since = _time.GetTimestamp() });
                break;
            case CoapObserverRestore.NotServed or CoapObserverRestore.NoRoom:
                _observers.NoteRefused();
                _observers.Queue.Remove(observer.Key, peer.Source);
                break;
        }
    }

    // What was read under another fence is another node's, or is read anew.
    private void DropLost()
    {
        lock (_gate)
        {
            foreach ((string session, List<Awaited> observers) in _bySession.ToArray())
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
        // While the store is away sessions may be missing that are there later.
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
            foreach ((string session, List<Awaited> observers) in _bySession.ToArray())
            {
                if (_time.GetElapsedTime(observers[0].Since) < s_awaitsSession)
                {
                    continue;
                }

                _bySession.Remove(session);
                Count(-observers.Count);
                foreach (Awaited observer in observers)
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

    /// <summary>An observer that was read.</summary>
    /// <param name="Key">The key of its record.</param>
    /// <param name="State">The state of its record.</param>
    /// <param name="Fence">The fence under which this node had the slot then.</param>
    /// <param name="Since">When, by the clock's timestamp.</param>
    private sealed record Awaited(CoapRecordKey Key, ReadOnlyMemory<byte> State, CoapFence Fence, long Since)
    {
        /// <summary>Whether it is put back for the last time, unless it is not heard afterwards.</summary>
        public bool IsLast { get; init; }
    }
}
