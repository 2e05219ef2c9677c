using System.Buffers.Binary;
using System.Security.Cryptography;
using CoAP.NET.Dtls;
using CoAP.NET.Transports;

namespace CoAP.NET.Cluster;

/// <summary>
/// Between the UDP ports of a server and those of the same server at other nodes: relayed datagrams go there straight, in the batches in
/// which they came. A node asks each other one over the link where that hears, and by which key, and uses what it is told once it was
/// answered there. Without such a way the link is used. Thread-safe.
/// </summary>
/// <param name="links">The links.</param>
/// <param name="server">The name of the server.</param>
/// <param name="time">The clock.</param>
internal sealed class RelayWays(ClusterLinks links, byte[] server, TimeProvider time)
{
    /// <summary>Where a node asks over the link.</summary>
    public const string Path = "/way";

    // A server may start later than its node; after that, what lies between them may change.
    private const int SoonTries = 10;

    // So many questions without an answer, one each second: nothing comes through.
    private const int MaxQuestions = 5;

    // What is under way when a node asks once more comes by the key before.
    private const int EntrancesOfNode = 2;

    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_later = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    private readonly Lock _gate = new();
    private readonly Dictionary<CoapNodeId, RelayNeighbour> _neighbours = [];

    // Read by threads that receive, without the lock: replaced, never changed.
    private Dictionary<CoapNodeId, RelayWay> _ways = [];
    private Dictionary<ulong, RelayEntrance> _entrances = [];
    private CoapDtlsSteeringPort? _port;

    /// <summary>The server starts.</summary>
    /// <param name="port">Where what is sent leaves.</param>
    public void Start(CoapDtlsSteeringPort port) => Volatile.Write(ref _port, port);

    /// <summary>The server has stopped.</summary>
    public void Stop()
    {
        Volatile.Write(ref _port, null);
        Retain(static _ => false);
    }

    /// <summary>The way to a node; null when there is none.</summary>
    /// <param name="node">The node.</param>
    public RelayWay? Find(CoapNodeId node) => Volatile.Read(ref _ways).GetValueOrDefault(node);

    /// <summary>Sends something to a node by UDP.</summary>
    /// <param name="node">The node.</param>
    /// <param name="kind">Whom it is for there.</param>
    /// <param name="item">What is sent.</param>
    /// <returns>False when no way leads there now, or it is too long for a packet: then the link is to be used.</returns>
    public bool TrySend(CoapNodeId node, RelayKind kind, in RelayItem item) =>
        Find(node) is { IsOpen: true } way && item.TrySend(way, kind, Volatile.Read(ref _port));

    /// <summary>Where a datagram of another node comes in; null when it is none.</summary>
    /// <param name="datagram">The datagram.</param>
    public RelayEntrance? Find(ReadOnlySpan<byte> datagram) =>
        Volatile.Read(ref _entrances) is { Count: > 0 } entrances && RelayRecord.TryReadId(datagram, out ulong id)
            ? entrances.GetValueOrDefault(id)
            : null;

    /// <summary>Says where a node is to send to, under a new key.</summary>
    /// <param name="node">The node, which asks.</param>
    /// <param name="number">Its number.</param>
    /// <returns>What it is told; null where no way leads to this server but by the link, and before it has started.</returns>
    public byte[]? Offer(CoapNodeId node, int number)
    {
        if (Sockets is not { } sockets)
        {
            return null;
        }

        byte[] id = new byte[RelayRecord.IdLength];
        byte[] key = new byte[RelayRecord.KeyLength];
        CoapRandomSource.Secure.Fill(id);
        CoapRandomSource.Secure.Fill(key);
        RelayOffer offer = new(BinaryPrimitives.ReadUInt64BigEndian(id), key, sockets.LocalAddresses);
        lock (_gate)
        {
            RelayEntrance[] older = [.. _entrances.Values.Where(entrance => entrance.Node == node)];
            Remove(older.Take(older.Length - EntrancesOfNode + 1));

            // In the order in which they were made.
            Volatile.Write(ref _entrances, new(_entrances) { [offer.Id] = new RelayEntrance(node, number, offer.Id, key) });
        }

        byte[] told = offer.ToBytes();
        CryptographicOperations.ZeroMemory(key);
        return told;
    }

    /// <summary>Says that a record arrived that asked.</summary>
    /// <param name="node">The node that sent it.</param>
    /// <param name="number">The number of the record.</param>
    public void Answer(CoapNodeId node, ulong number)
    {
        Span<byte> content = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64BigEndian(content, number);
        Send(Find(node), RelayKind.Answer, content);
    }

    /// <summary>A node says that a record arrived.</summary>
    /// <param name="node">The node.</param>
    /// <param name="content">What it says.</param>
    /// <returns>Whether it can be reached from now on, and could not before.</returns>
    public bool OnAnswer(CoapNodeId node, ReadOnlySpan<byte> content) => Find(node)?.OnAnswer(content) == true;

    /// <summary>Looks after the ways to all nodes: once a second, and when a link has come.</summary>
    /// <param name="nodes">The nodes with which there is a link.</param>
    public void Look(IReadOnlyList<CoapNodeId> nodes)
    {
        if (Sockets is null)
        {
            return;
        }

        foreach (CoapNodeId node in nodes)
        {
            RelayWay? way = Find(node);
            bool asks;
            lock (_gate)
            {
                if (!_neighbours.TryGetValue(node, out RelayNeighbour? neighbour))
                {
                    _neighbours.Add(node, neighbour = new RelayNeighbour());
                }

                if (way is { IsOpen: false } && ++neighbour.Questions > MaxQuestions)
                {
                    Forget(node);
                    way = null;
                }

                // Whoever does not answer by UDP may still answer by the link, which is used then.
                asks = !neighbour.IsAsking && (way is null or { IsStalled: true }) && time.GetTimestamp() >= neighbour.AsksAt;
                neighbour.IsAsking |= asks;
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

    /// <summary>The link with a node has ended.</summary>
    /// <param name="node">The node.</param>
    public void Close(CoapNodeId node)
    {
        lock (_gate)
        {
            Forget(node);
            _neighbours.Remove(node);
        }
    }

    /// <summary>Forgets nodes that are gone.</summary>
    /// <param name="isThere">Whether a node is still there.</param>
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

    // Where several processes share the port, the kernel brings records to them by slot, and these have none.
    private CoapUdpTransport? Sockets => Volatile.Read(ref _port)?.Sockets is { SharedSockets: 0 } sockets ? sockets : null;

    private void Send(RelayWay? way, RelayKind kind, ReadOnlySpan<byte> content)
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
        // The caller may be a thread that tells of links.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        RelayWay? way = null;
        try
        {
            CoapRequest request = new(CoapMethod.Post, Path) { Content = CoapContent.Binary(server), Timeout = s_patience };
            CoapResponse response = await links.SendAsync(node, request).ConfigureAwait(false);
            if (response.IsSuccess && RelayOffer.TryRead(response.Payload.Span) is { } offer)
            {
                if (links.AddressOf(node) is { } address && Sockets is { } sockets
                    && offer.ChooseFor(sockets.LocalAddresses, address) is { } to)
                {
                    way = new RelayWay(to, offer.Id, offer.Key, time);
                }

                CryptographicOperations.ZeroMemory(offer.Key);
            }
        }
        catch (CoapException)
        {
            // The link says what is wrong with it.
        }

        lock (_gate)
        {
            if (!_neighbours.TryGetValue(node, out RelayNeighbour? neighbour))
            {
                // Its link has ended meanwhile.
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

    // Under the lock.
    private void Forget(CoapNodeId node)
    {
        if (_ways.TryGetValue(node, out RelayWay? way))
        {
            Dictionary<CoapNodeId, RelayWay> rest = new(_ways);
            rest.Remove(node);
            Volatile.Write(ref _ways, rest);
            way.Dispose();
        }
    }

    // Under the lock.
    private void Remove(IEnumerable<RelayEntrance> those)
    {
        RelayEntrance[] gone = [.. those];
        if (gone.Length > 0)
        {
            Volatile.Write(ref _entrances, _entrances.Where(pair => !gone.Contains(pair.Value)).ToDictionary());
            Array.ForEach(gone, static entrance => entrance.Dispose());
        }
    }
}
