using System.Net;
using System.Net.Sockets;
using CoAP.NET.Dtls;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// Where several processes share the port of a server: has the kernel bring records to the process that has their slot. What still arrives
/// at another one, as the table is out of date for a moment, is relayed as ever. Thread-safe.
/// </summary>
internal sealed class SharedSockets
{
    // It is looked who is there with every fifth tick, which come each second.
    private const int TicksOfRound = 5;

    // So many probes of a round may stay without an answer, as those to the sockets of a process that sleeps.
    private const int MaxSilent = 8;

    // It is told when nobody answered in so many rounds, one after the other: this process may have stood still as well.
    private const int SilentRounds = 3;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);
    private readonly CoapCluster _cluster;
    private readonly CoapUdpTransport _sockets;
    private readonly SocketProbe _probe;
    private readonly TimeProvider _time;
    private readonly Lock _gate = new();
    private readonly ILogger _logger;

    // By endpoint: the table, and in how many rounds nobody answered.
    private readonly Dictionary<int, CoapUdpSlotTable> _last = [];
    private readonly Dictionary<int, int> _silent = [];
    private Task _looking = Task.CompletedTask;
    private bool _isDue;
    private int _ticks;

    /// <summary>Makes it.</summary>
    /// <param name="cluster">Who has which slot.</param>
    /// <param name="sockets">The sockets of the server.</param>
    /// <param name="time">The clock.</param>
    /// <param name="logger">Told when nobody answers.</param>
    public SharedSockets(CoapCluster cluster, CoapUdpTransport sockets, TimeProvider time, ILogger logger)
    {
        _cluster = cluster;
        _sockets = sockets;
        _probe = new SocketProbe(cluster.SocketKey);
        _time = time;
        _logger = logger;
    }

    /// <summary>Whether a datagram asks whose socket it arrived at.</summary>
    /// <param name="datagram">The datagram.</param>
    public bool IsProbe(ReadOnlySpan<byte> datagram) =>
        datagram.Length == SocketProbe.Length && CoapUdpSlotTable.TryReadProbe(datagram, out _) && _sockets.SharedSockets > 0;

    /// <summary>Answers a probe, if it is of this cluster.</summary>
    /// <param name="datagram">The probe.</param>
    /// <param name="remote">Where it came from.</param>
    /// <param name="port">Where the answer goes out.</param>
    public void Answer(ReadOnlySpan<byte> datagram, CoapAddress remote, CoapDtlsSteeringPort? port)
    {
        Span<byte> answer = stackalloc byte[SocketProbe.AnswerLength];
        if (_probe.TryAnswer(datagram, _cluster.Self.Id, _sockets.SharedSockets, _sockets.LocalAddresses, answer))
        {
            port?.Send(remote, answer);
        }
    }

    /// <summary>A second has passed.</summary>
    public void Tick()
    {
        if (Interlocked.Increment(ref _ticks) % TicksOfRound == 1)
        {
            Look();
        }
    }

    /// <summary>Something may have changed.</summary>
    public void Look()
    {
        if (_sockets.SharedSockets == 0)
        {
            // It is told why, where the port is shared all the same.
            _ = _sockets.TryAttach(0, new CoapUdpSlotTable());
            return;
        }

        lock (_gate)
        {
            _isDue = true;
            if (_looking.IsCompleted)
            {
                _looking = LookAsync();
            }
        }
    }

    private async Task LookAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        while (true)
        {
            lock (_gate)
            {
                if (!_isDue)
                {
                    _looking = Task.CompletedTask;
                    return;
                }

                _isDue = false;
            }

            IReadOnlyList<CoapAddress> bound = _sockets.LocalAddresses;
            for (int tag = 0; tag < bound.Count; tag++)
            {
                await LookAsync(tag, bound).ConfigureAwait(false);
            }
        }
    }

    private async Task LookAsync(int tag, IReadOnlyList<CoapAddress> bound)
    {
        // Probes need a table, whichever.
        if (!_sockets.TryAttach(tag, _last.GetValueOrDefault(tag) ?? new CoapUdpSlotTable()))
        {
            return;
        }

        Dictionary<CoapNodeId, List<byte>> found = [];
        foreach (CoapAddress way in SharedAddresses.WaysTo(bound[tag], bound))
        {
            found = await FindAsync(way, bound[tag]).ConfigureAwait(false);
            if (found.Count > 0)
            {
                break;
            }
        }

        int silent = _silent[tag] = found.Count > 0 ? 0 : _silent.GetValueOrDefault(tag) + 1;
        if (silent == SilentRounds)
        {
            ClusterSteeringLog.SocketsNotFound(_logger, _cluster.Self.Id, bound[tag]);
        }

        if (silent > 0)
        {
            return;
        }

        CoapUdpSlotTable table = new();
        CoapClusterMap map = _cluster.Map;
        for (int slot = 0; slot < CoapUdpSlotTable.SlotCount; slot++)
        {
            if (found.TryGetValue(map[new CoapSlot((byte)slot)].Node, out List<byte>? indices))
            {
                table.Set((byte)slot, [.. indices]);
            }
        }

        if (_sockets.TryAttach(tag, table))
        {
            _last[tag] = table;
        }
    }

    // Which sockets of an endpoint are whose.
    private async Task<Dictionary<CoapNodeId, List<byte>>> FindAsync(CoapAddress way, CoapAddress endpoint)
    {
        Dictionary<CoapNodeId, List<byte>> found = [];
        bool isWhole = false;
        int silent = 0;
        for (int index = 0; index < CoapUdpSlotTable.MaxSockets && !isWhole && silent < MaxSilent; index++)
        {
            if (await AskAsync(way, endpoint, (byte)index).ConfigureAwait(false) is not { } answer)
            {
                // Nothing is sent there by slot. The others must have what they took over from a node that sleeps.
                silent++;
                continue;
            }

            if (!found.TryGetValue(answer.Node, out List<byte>? indices))
            {
                found.Add(answer.Node, indices = new List<byte>(answer.Count));
            }

            // When there is no such index, whoever the hash chose has answered, and has all of its own already.
            isWhole = indices.Count >= answer.Count;
            if (!isWhole)
            {
                indices.Add((byte)index);
            }
        }

        return found;
    }

    // Each from a port of its own, so that the hash does not choose the same silent socket each time.
    private async Task<(CoapNodeId Node, int Count)?> AskAsync(CoapAddress way, CoapAddress endpoint, byte index)
    {
        IPEndPoint to = way.ToIPEndPoint();
        byte[] nonce = new byte[SocketProbe.NonceLength];
        CoapRandomSource.Secure.Fill(nonce);
        byte[] probe = new byte[SocketProbe.Length];
        byte[] answer = new byte[SocketProbe.AnswerLength + 1];
        _probe.Write(probe, index, nonce, way, endpoint);
        using CancellationTokenSource patience = new(s_patience, _time);
        try
        {
            using Socket socket = new(to.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
            await socket.ConnectAsync(to, patience.Token).ConfigureAwait(false);
            await socket.SendAsync(probe, patience.Token).ConfigureAwait(false);
            while (true)
            {
                int length = await socket.ReceiveAsync(answer, patience.Token).ConfigureAwait(false);
                if (_probe.TryRead(answer.AsSpan(0, length), nonce, out CoapNodeId node, out int count))
                {
                    return (node, count);
                }
            }
        }
        catch (Exception exception) when (exception is SocketException or OperationCanceledException)
        {
            return null;
        }
    }
}
