using System.Buffers;
using CoAP.NET.Cluster.Dtls;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Dtls.Steering;

namespace CoAP.NET.Cluster.Steering;

/// <summary>
/// Tells a DTLS server which slots are here, relays datagrams for other nodes, and holds those for moving slots. A relayed datagram is
/// relayed again only with a newer map than the sender's, which prevents loops. Thread-safe.
/// </summary>
internal sealed class ClusterSteering : ICoapDtlsSteering, ISlotStateHolder
{
    // A flag in the number of a node that relays datagrams without a slot; a node does so only while it serves no new clients itself.
    private const int WithoutSlot = 1 << 30;
    private const int NodeIdLength = 16;

    private readonly CoapCluster _cluster;
    private readonly ClusterDatagramRelay _relays;
    private readonly ClusterSessionBackup _backup;
    private readonly SuspensionDetector _watch;
    private readonly MovingSlotDatagramQueue _held;
    private readonly RelayRateLimiter _budget;
    private readonly UdpRelayPathTable _ways;
    private readonly TimeProvider _time;
    private readonly Lock _gate = new();
    private CoapDtlsSteeringContext? _port;
    private ITimer? _timer;
    private Task _looking = Task.CompletedTask;
    private bool _isLookDue;
    private int _next;

    /// <summary>Creates the steering of a server. It is inactive before the server starts it.</summary>
    /// <param name="cluster">The cluster.</param>
    /// <param name="relays">Relays datagrams to other nodes.</param>
    /// <param name="backup">The backup of the server's sessions.</param>
    /// <param name="watch">Lets the server serve while the node runs.</param>
    /// <param name="options">The limits of held datagrams.</param>
    /// <param name="time">The clock.</param>
    public ClusterSteering(
        CoapCluster cluster, ClusterDatagramRelay relays, ClusterSessionBackup backup, SuspensionDetector watch,
            CoapSlotMoveOptions options,
        TimeProvider time)
    {
        _cluster = cluster;
        _relays = relays;
        _backup = backup;
        _watch = watch;
        _time = time;
        _held = new MovingSlotDatagramQueue(options.MaxQueuedBytes, options.MaxQueueTime, relays.Counts, time);
        _budget = new RelayRateLimiter(time);
        _ways = new UdpRelayPathTable(cluster.Self.Id, cluster.Peers, backup.Server.ToArray(), time);
    }

    /// <summary>The name of the server, in UTF-8.</summary>
    public ReadOnlySpan<byte> Server => _backup.Server;

    public int QueuedCount => _held.Count;

    /// <inheritdoc/>
    public void Start(CoapDtlsSteeringContext port)
    {
        lock (_gate)
        {
            Volatile.Write(ref _port, port);
            _timer ??= _time.CreateTimer(static steering => ((ClusterSteering)steering!).Tick(), this, TimeSpan.FromSeconds(1),
                TimeSpan.FromSeconds(1));
        }

        _ways.Start(port);
        _watch.Start(span => Port?.ServeFor(span));
        _cluster.MapChanged += OnMapChanged;
        _cluster.Releases.Add(this);
        _relays.Add(this);
        Look();
        _cluster.OnServing();
    }

    public void Stop()
    {
        _watch.Stop();
        _cluster.MapChanged -= OnMapChanged;
        _cluster.Releases.Remove(this);
        _relays.Remove(this);
        lock (_gate)
        {
            Volatile.Write(ref _port, null);
            _timer?.Dispose();
            _timer = null;
        }

        _ways.Stop();
    }

    /// <inheritdoc/>
    public byte? SlotOfNewSession()
    {
        CoapClusterSlotMap map = _cluster.Map;
        if (map.Nodes.Count == 0)
        {
            // The store has been unavailable since the start. Sessions are created nevertheless, and stay if this node gets their slots.
            return (byte)Interlocked.Increment(ref _next);
        }

        if (_cluster.IsLeaving && HasOthers(map))
        {
            return null;
        }

        // The slots of this node in turn. The map itself is asked: what is kept beside it may be older.
        int next = Volatile.Read(ref _next);
        for (int tries = 0; tries < CoapSlot.Count; tries++)
        {
            CoapSlot slot = new((byte)(next + tries));
            CoapSlotOwner owner = map[slot];
            if (owner.Node == _cluster.Self.Id && !_cluster.Releases.IsMoving(slot, owner.Fence))
            {
                Volatile.Write(ref _next, slot.Number + 1);
                return slot.Number;
            }
        }

        return null;
    }

    /// <inheritdoc/>
    public bool TryRelay(byte? slot, CoapAddress remote, ReadOnlySpan<byte> datagram)
    {
        if (_ways.Find(datagram) is { } entrance)
        {
            _relays.TakeRecord(this, _ways, entrance, datagram);
            return true;
        }

        CoapClusterSlotMap map = _cluster.Map;
        if (slot is not { } number)
        {
            return SlotOfNewSession() is null && TryRelayBeginning(map, remote, datagram);
        }

        CoapSlot of = new(number);
        (SlotLocation place, CoapNodeId owner) = PlaceOf(map, of);
        if (place == SlotLocation.Here)
        {
            return false;
        }

        if (!_budget.TryUse(remote))
        {
            _relays.Counts.OnRefused();
            return true;
        }

        if (place == SlotLocation.OnItsWay || !TryRelay(owner, ItemOf(map, of, remote, datagram)))
        {
            Enqueue(of, 0, 0, remote, datagram);
        }

        return true;
    }

    /// <inheritdoc/>
    public bool TryEnqueue(int via, byte slot, CoapAddress remote, ReadOnlySpan<byte> datagram)
    {
        CoapClusterSlotMap map = _cluster.Map;
        CoapSlot of = new(slot);
        if (PlaceOf(map, of).Place == SlotLocation.Here)
        {
            return false;
        }

        Enqueue(of, via & ~WithoutSlot, map.Version, remote, datagram);
        return true;
    }

    /// <inheritdoc/>
    public bool TrySendVia(int via, CoapAddress remote, ReadOnlySpan<byte> datagram)
    {
        CoapClusterSlotMap map = _cluster.Map;
        CoapNodeId node = _relays.OriginOf(via & ~WithoutSlot);
        if (via >= WithoutSlot && !RelaysBeginnings(map, node))
        {
            // Datagrams of the client no longer arrive here. If it still got messages, for example from an observation, it would not detect
            // that this session is useless.
            _relays.Counts.OnStray();
            return true;
        }

        RelayedDatagram item = ItemOf(map, null, remote, datagram);
        return node.IsSet && (_ways.TrySend(node, RelayKind.ToClient, item) || _relays.TryReturn(node, item));
    }

    /// <inheritdoc/>
    public int NameVia(int via, Span<byte> name)
    {
        CoapNodeId node = via == 0 ? _cluster.Self.Id : _relays.OriginOf(via & ~WithoutSlot);
        return node.IsSet && node.Value.TryWriteBytes(name) ? NodeIdLength : 0;
    }

    /// <inheritdoc/>
    public int ViaOf(ReadOnlySpan<byte> name) =>
        name.Length == NodeIdLength && new CoapNodeId(new Guid(name)) is var node && _cluster.Map.IsThere(node)
            ? _relays.NumberOf(node)
            : 0;

    /// <inheritdoc/>
    public Task ReleaseAsync(CoapSlot slot, CancellationToken cancellationToken)
    {
        _backup.WaitForOpening(slot);
        return Port?.ReleaseAsync(slot.Number, cancellationToken) ?? Task.CompletedTask;
    }

    /// <summary>Ends the sessions of slots that another node took, without messages to their clients.</summary>
    public async Task DropAsync(IEnumerable<CoapSlot> slots)
    {
        if (Port is { } port)
        {
            Task[] drops = [.. slots.Where(slot => port.SessionsOf(slot.Number) > 0)
                .Select(slot => port.ReleaseAsync(slot.Number, new CancellationToken(canceled: true)))];
            await Task.WhenAll(drops).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>Handles a datagram relayed by another node.</summary>
    /// <param name="via">The number of that node.</param>
    /// <param name="item">The datagram.</param>
    /// <param name="bytes">The datagram, if it may be decrypted in place; otherwise empty.</param>
    public void TakeRelayed(int via, in RelayedDatagram item, Span<byte> bytes = default)
    {
        _relays.Counts.OnReceived();
        CoapClusterSlotMap map = _cluster.Map;
        (SlotLocation place, CoapNodeId owner) = item.Slot is { } of ? PlaceOf(map, of) : (SlotLocation.Here, default);
        if (item.Slot is not { } slot)
        {
            Receive(via == 0 ? 0 : via | WithoutSlot, item, bytes);
        }
        else if (place == SlotLocation.Here)
        {
            Receive(via, item, bytes);
        }
        else if (place == SlotLocation.OnItsWay || item.Version > map.Version)
        {
            // The slot is on its way here, or the other node knows more. While a slot is released its sessions are still here, and wait for
            // acknowledgements.
            if (Port is not { } port || port.SessionsOf(slot.Number) == 0 || !Receive(via, item, default))
            {
                Enqueue(slot, via, item.Version, item.Remote, item.Datagram);
            }
        }
        else if (item.Version == map.Version)
        {
            // With the same map the other node has no reason to send it here.
            _relays.Counts.OnStray();
        }
        else if (!TryRelay(owner, ItemOf(map, slot, item.Remote, item.Datagram, _relays.OriginOf(via))))
        {
            Enqueue(slot, via, item.Version, item.Remote, item.Datagram);
        }
    }

    /// <summary>Sends the answer of another node to a client whose datagrams arrive here.</summary>
    public bool TakeAnswer(in RelayedDatagram item) => Port?.Send(item.Remote, item.Datagram) == true;

    /// <summary>Returns the UDP address and key for relays of a node.</summary>
    /// <returns>The offer; null if this node gets relayed datagrams only as posts (<see cref="NodePeer"/>).</returns>
    public RelayPathOffer? Offer(CoapNodeId node, int number) => _ways.Offer(node, number);

    /// <summary>Returns the UDP relay connection to a node; null if there is none.</summary>
    public NodeRelayConnection? WayTo(CoapNodeId node) => _ways.Find(node);

    public void OnUp()
    {
        _ways.Look(_cluster.Peers.Up);
        Look();
    }

    /// <summary>Handles a node that is not live any more.</summary>
    public void OnDown(CoapNodeId node) => _ways.Close(node);

    /// <summary>Checks whether held datagrams can continue.</summary>
    public void Look()
    {
        lock (_gate)
        {
            _isLookDue = true;
            if (_looking.IsCompleted)
            {
                _looking = LookAsync();
            }
        }
    }

    private CoapDtlsSteeringContext? Port => Volatile.Read(ref _port);

    private bool HasOthers(CoapClusterSlotMap map) => map.Nodes.Any(node => node.Id != _cluster.Self.Id && IsMember(node));

    private static bool IsMember(CoapClusterNode node) => node.Address.Length > 0 && !node.IsLeaving;

    private void OnMapChanged(object? sender, EventArgs arguments) => Look();

    private void Tick()
    {
        CoapClusterSlotMap map = _cluster.Map;
        _ways.Retain(map.IsThere);
        _ways.Look(_cluster.Peers.Up);
        _held.RemoveOld();
        if (_held.Count > 0)
        {
            // Without an event for a node that was slow and accepts relayed datagrams again.
            Look();
        }
    }

    private (SlotLocation Place, CoapNodeId Owner) PlaceOf(CoapClusterSlotMap map, CoapSlot slot)
    {
        CoapSlotOwner owner = map[slot];
        if (owner.Node == _cluster.Self.Id)
        {
            bool isHere = _backup.HasLoaded(slot, owner.Fence) && !_cluster.Releases.IsMoving(slot, owner.Fence);
            return (isHere ? SlotLocation.Here : SlotLocation.OnItsWay, owner.Node);
        }

        return (map.IsThere(owner.Node) ? SlotLocation.Elsewhere : SlotLocation.OnItsWay, owner.Node);
    }

    // Whether a node is known to relay datagrams without a slot: it has no slots yet, or hands them over.
    private static bool RelaysBeginnings(CoapClusterSlotMap map, CoapNodeId node) =>
        map.Nodes.Any(other => other.Id == node && other.IsLeaving) || !CoapSlot.All.Any(slot => map[slot].Node == node);

    // A new client has no slot yet. All its datagrams must reach the same node, which its address therefore determines.
    private bool TryRelayBeginning(CoapClusterSlotMap map, in CoapAddress remote, ReadOnlySpan<byte> datagram)
    {
        Span<byte> bytes = stackalloc byte[CoapAddress.BinaryLength + 16];
        remote.WriteTo(bytes[16..]);
        CoapNodeId best = default;
        int most = -1;
        foreach (CoapClusterNode node in map.Nodes)
        {
            if (node.Id == _cluster.Self.Id || !IsMember(node) || !IsUp(node.Id))
            {
                continue;
            }

            node.Id.Value.TryWriteBytes(bytes);
            int weight = CoapSlot.OfName(bytes).Number;
            if (weight > most)
            {
                (best, most) = (node.Id, weight);
            }
        }

        if (!best.IsSet)
        {
            return false;
        }

        if (!_budget.TryUse(remote))
        {
            _relays.Counts.OnRefused();
            return true;
        }

        return TryRelay(best, ItemOf(map, null, remote, datagram));
    }

    private bool IsUp(CoapNodeId node) => _relays.IsUp(node) && _ways.Find(node) is not { IsStalled: true };

    private bool TryRelay(CoapNodeId node, in RelayedDatagram item)
    {
        if (_ways.Find(node) is { IsStalled: true })
        {
            return false;
        }

        if (!_ways.TrySend(node, RelayKind.ToOwner, item))
        {
            return _relays.TryRelay(node, item);
        }

        _relays.Counts.OnRelayed();
        return true;
    }

    private RelayedDatagram ItemOf(
        CoapClusterSlotMap map, CoapSlot? slot, in CoapAddress remote, ReadOnlySpan<byte> datagram, CoapNodeId origin = default) => new()
        {
            Server = Server,
            Version = map.Version,
            Slot = slot,
            Remote = remote,
            Origin = origin,
            Datagram = datagram,
        };

    private void Enqueue(CoapSlot slot, int via, long version, in CoapAddress remote, ReadOnlySpan<byte> datagram)
    {
        _held.Add(slot, via, version, remote, datagram);

        // It may have arrived meanwhile, here or elsewhere.
        if (PlaceOf(_cluster.Map, slot).Place != SlotLocation.OnItsWay)
        {
            Look();
        }
    }

    private async Task LookAsync()
    {
        // Not on the receiving thread or the one that changed the map.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        while (true)
        {
            lock (_gate)
            {
                if (!_isLookDue)
                {
                    _looking = Task.CompletedTask;
                    return;
                }

                _isLookDue = false;
            }

            foreach (CoapSlot slot in _held.Slots)
            {
                Continue(slot);
            }
        }
    }

    private void Continue(CoapSlot slot)
    {
        CoapClusterSlotMap map = _cluster.Map;
        (SlotLocation place, CoapNodeId owner) = PlaceOf(map, slot);
        if (place == SlotLocation.OnItsWay || (place == SlotLocation.Elsewhere && !IsUp(owner)))
        {
            return;
        }

        foreach (MovingSlotDatagram held in _held.Take(slot, one => one.Version <= map.Version || place == SlotLocation.Here))
        {
            if (place == SlotLocation.Here)
            {
                Receive(held.Via, held.Remote, held.Bytes);
            }
            else if ((held.Via != 0 && held.Version == map.Version)
                || !TryRelay(owner, ItemOf(map, slot, held.Remote, held.Bytes, _relays.OriginOf(held.Via))))
            {
                _relays.Counts.OnStray();
            }
        }
    }

    private bool Receive(int via, in RelayedDatagram item, Span<byte> bytes) =>
        bytes.IsEmpty ? Receive(via, item.Remote, item.Datagram) : Port?.Receive(via, item.Remote, bytes) == true;

    private bool Receive(int via, in CoapAddress remote, ReadOnlySpan<byte> datagram)
    {
        // It is decrypted in place.
        byte[] rented = ArrayPool<byte>.Shared.Rent(datagram.Length);
        datagram.CopyTo(rented);
        bool isOfUse = Port?.Receive(via, remote, rented.AsSpan(0, datagram.Length)) == true;
        ArrayPool<byte>.Shared.Return(rented);
        return isOfUse;
    }
}

/// <summary>The place of a slot's sessions.</summary>
internal enum SlotLocation
{
    /// <summary>At this node.</summary>
    Here,

    /// <summary>At another live node.</summary>
    Elsewhere,

    /// <summary>Not loaded here yet, being handed over, or of a dead node: it will soon have an owner.</summary>
    OnItsWay,
}
