using System.Buffers.Binary;
using System.Security.Cryptography;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Dtls.Steering;

namespace CoAP.NET.Cluster.Steering;

/// <summary>
/// The UDP connections between a server and the same server at other nodes. They carry relayed datagrams directly, in their original
/// batches. A node asks each other one for its addresses and key, and uses them after an answer over UDP. Without such a connection it uses
/// posts (<see cref="NodePeer"/>). Thread-safe.
/// </summary>
/// <param name="self">This node.</param>
/// <param name="peers">The other nodes.</param>
/// <param name="server">The name of the server.</param>
/// <param name="time">The clock.</param>
internal sealed class UdpRelayPathTable(CoapNodeId self, NodePeers peers, byte[] server, TimeProvider time)
{
    // A server may start later than its node; afterwards the network between them may change.
    private const int SoonTries = 10;

    // After this number of unanswered questions, one per second, UDP does not get through.
    private const int MaxQuestions = 5;

    // When a node asks again, pending records still use the previous key.
    private const int EntrancesOfNode = 2;

    private static readonly TimeSpan s_requestTimeout = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_later = TimeSpan.FromMinutes(1);

    private readonly Lock _gate = new();
    private readonly Dictionary<CoapNodeId, RelayAddressQuerySchedule> _neighbours = [];

    // Receiving threads read it without the lock: it is replaced, never changed.
    private Dictionary<CoapNodeId, NodeRelayConnection> _ways = [];
    private Dictionary<ulong, RelayReceiver> _entrances = [];
    private CoapDtlsSteeringContext? _port;

    public void Start(CoapDtlsSteeringContext port) => Volatile.Write(ref _port, port);

    public void Stop()
    {
        Volatile.Write(ref _port, null);
        Retain(static _ => false);
    }

    /// <summary>Returns the way to a node; null if there is none.</summary>
    public NodeRelayConnection? Find(CoapNodeId node) => Volatile.Read(ref _ways).GetValueOrDefault(node);

    /// <summary>Sends an item to a node over UDP.</summary>
    /// <returns>False if there is no way to the node, or the item is too long for a packet: use a post then.</returns>
    public bool TrySend(CoapNodeId node, RelayKind kind, in RelayedDatagram item) =>
        Find(node) is { IsOpen: true } way && item.TrySend(way, kind, Volatile.Read(ref _port));

    /// <summary>Returns the entrance for a datagram of another node; null if it is not such a datagram.</summary>
    public RelayReceiver? Find(ReadOnlySpan<byte> datagram) =>
        Volatile.Read(ref _entrances) is { Count: > 0 } entrances && RelayRecord.TryReadId(datagram, out ulong id)
            ? entrances.GetValueOrDefault(id)
            : null;

    /// <summary>Returns the address for relays of a node, with a new key.</summary>
    /// <returns>
    /// The offer; null before the start of this server, or if it gets relayed datagrams only as posts (<see cref="NodePeer"/>).
    /// </returns>
    public RelayPathOffer? Offer(CoapNodeId node, int number)
    {
        if (Sockets is not { } sockets)
        {
            return null;
        }

        byte[] id = new byte[RelayRecord.IdLength];
        byte[] key = new byte[RelayRecord.KeyLength];
        CoapRandomSource.Secure.Fill(id);
        CoapRandomSource.Secure.Fill(key);
        RelayPathOffer offer = new(
            BinaryPrimitives.ReadUInt64BigEndian(id), key, [.. sockets.LocalAddresses.Take(RelayPathOffer.MaxAddresses)]);
        lock (_gate)
        {
            RelayReceiver[] older = [.. _entrances.Values.Where(entrance => entrance.Node == node)];
            Remove(older.Take(older.Length - EntrancesOfNode + 1));

            // In the order of their creation.
            Volatile.Write(ref _entrances, new(_entrances) { [offer.Id] = new RelayReceiver(node, number, offer.Id, key) });
        }

        return offer;
    }

    /// <summary>Acknowledges a record.</summary>
    public void Answer(CoapNodeId node, ulong number)
    {
        Span<byte> content = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64BigEndian(content, number);
        Send(Find(node), RelayKind.Answer, content);
    }

    /// <summary>Handles the acknowledgement of a record.</summary>
    /// <param name="node">The node.</param>
    /// <param name="content">Its content.</param>
    /// <returns>Whether the node has become reachable.</returns>
    public bool OnAnswer(CoapNodeId node, ReadOnlySpan<byte> content) => Find(node)?.OnAnswer(content) == true;

    /// <summary>Maintains the ways to all nodes: once per second, and after a node came.</summary>
    public void Look(IReadOnlyList<CoapNodeId> nodes)
    {
        if (Sockets is null)
        {
            return;
        }

        foreach (CoapNodeId node in nodes)
        {
            NodeRelayConnection? way = Find(node);
            bool asks;
            lock (_gate)
            {
                if (!_neighbours.TryGetValue(node, out RelayAddressQuerySchedule? neighbour))
                {
                    _neighbours.Add(node, neighbour = new RelayAddressQuerySchedule());
                }

                if (way is { IsOpen: false } && ++neighbour.Questions > MaxQuestions)
                {
                    Forget(node);
                    way = null;
                }

                // A node that does not answer over UDP may still take posts, which are then used.
                asks = neighbour.TryBegin(way is not null, way is { IsStalled: true }, time.GetTimestamp());
            }

            if (way is { IsAsking: true })
            {
                Send(way, RelayKind.Question, []);
            }

            if (asks)
            {
                _ = AskAsync(node);
            }
        }
    }

    /// <summary>Handles a node that is not live any more.</summary>
    public void Close(CoapNodeId node)
    {
        lock (_gate)
        {
            Forget(node);
            _neighbours.Remove(node);
        }
    }

    public void Retain(Func<CoapNodeId, bool> isThere)
    {
        lock (_gate)
        {
            Remove(_entrances.Values.Where(entrance => !isThere(entrance.Node)));
            foreach (CoapNodeId node in _ways.Keys.Where(node => !isThere(node)).ToArray())
            {
                Forget(node);
            }
        }
    }

    // If several processes share the port, the kernel chooses the one that gets a record.
    private CoapUdpTransport? Sockets => Volatile.Read(ref _port)?.Sockets is { SharesPort: false } sockets ? sockets : null;

    private void Send(NodeRelayConnection? way, RelayKind kind, ReadOnlySpan<byte> content)
    {
        Span<byte> record = stackalloc byte[RelayRecord.Overhead + sizeof(ulong)];
        record = record[..(RelayRecord.Overhead + content.Length)];
        content.CopyTo(RelayRecord.ContentOf(record));
        if (way?.TrySeal(kind, record) == true)
        {
            Volatile.Read(ref _port)?.Send(way.To, record);
        }
    }

    private async Task AskAsync(CoapNodeId node)
    {
        // The caller may be the thread that reports nodes.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        NodeRelayConnection? way = null;
        if (await peers.AskAsync(node, service => service.OfferRelayPathAsync(self, server), s_requestTimeout).ConfigureAwait(false)
            is { IsValid: true } offer)
        {
            if (peers.AddressOf(node) is { } address && Sockets is { } sockets
                && offer.ChooseFor(sockets.LocalAddresses, address) is { } to)
            {
                way = new NodeRelayConnection(to, offer.Id, offer.Key, time);
            }

            CryptographicOperations.ZeroMemory(offer.Key);
        }

        lock (_gate)
        {
            if (!_neighbours.TryGetValue(node, out RelayAddressQuerySchedule? neighbour))
            {
                // It is not live any more.
                way?.Dispose();
                return;
            }

            neighbour.IsAsking = false;
            neighbour.Questions = 0;
            TimeSpan pause = way is null && ++neighbour.Tries < SoonTries ? s_soon : s_later;
            neighbour.AsksAt = time.GetTimestamp() + (long)(pause.TotalSeconds * time.TimestampFrequency);
            if (way is null)
            {
                return;
            }

            Forget(node);
            Volatile.Write(ref _ways, new(_ways) { [node] = way });
        }

        Send(way, RelayKind.Question, []);
    }

    // Requires the lock.
    private void Forget(CoapNodeId node)
    {
        if (_ways.TryGetValue(node, out NodeRelayConnection? way))
        {
            Dictionary<CoapNodeId, NodeRelayConnection> rest = new(_ways);
            rest.Remove(node);
            Volatile.Write(ref _ways, rest);
            way.Dispose();
        }
    }

    // Requires the lock.
    private void Remove(IEnumerable<RelayReceiver> those)
    {
        RelayReceiver[] gone = [.. those];
        if (gone.Length > 0)
        {
            Volatile.Write(ref _entrances, _entrances.Where(pair => !gone.Contains(pair.Value)).ToDictionary());
            Array.ForEach(gone, static entrance => entrance.Dispose());
        }
    }
}

/// <summary>The schedule for asking a node for its UDP address. The owner locks.</summary>
internal sealed class RelayAddressQuerySchedule
{
    public bool IsAsking { get; set; }

    /// <summary>The time of the next question, as a timestamp.</summary>
    public long AsksAt { get; set; } = long.MinValue;

    /// <summary>The number of useless answers.</summary>
    public int Tries { get; set; }

    /// <summary>The number of unanswered questions over UDP since then.</summary>
    public int Questions { get; set; }

    /// <summary>Begins a question if one is due.</summary>
    /// <param name="hasWay">Whether there is a way to the node.</param>
    /// <param name="isStalled">Whether answers of the node are overdue there: it has forgotten the key, for example because it missed in
    /// the map for a moment, and drops what is sent with it. The next question is then due at once.</param>
    /// <param name="now">The time, as a timestamp.</param>
    public bool TryBegin(bool hasWay, bool isStalled, long now)
    {
        bool begins = !IsAsking && (hasWay ? isStalled : now >= AsksAt);
        IsAsking |= begins;
        return begins;
    }
}
