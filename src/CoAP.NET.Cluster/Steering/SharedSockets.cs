using System.Net;
using System.Net.Sockets;
using CoAP.NET.Dtls;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// Makes the kernel deliver records to the process that owns their slot if several processes share the port of a server. Records that
/// arrive elsewhere, while the table is outdated for a moment, are relayed. Thread-safe.
/// </summary>
internal sealed class SharedSockets
{
    // The processes are searched every fifth tick; there is one tick per second.
    private const int TicksOfRound = 5;

    // The maximum number of unanswered probes per round, for example to sockets of a suspended process.
    private const int MaxSilent = 8;

    // The number of consecutive rounds without an answer before it is logged: this process may have been suspended as well.
    private const int SilentRounds = 3;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);
    private readonly CoapCluster _cluster;
    private readonly CoapUdpTransport _sockets;
    private readonly SocketProbe _probe;
    private readonly TimeProvider _time;
    private readonly Lock _gate = new();
    private readonly ILogger _logger;

    // By endpoint: the table, and the number of rounds without an answer.
    private readonly Dictionary<int, CoapUdpSlotTable> _last = [];
    private readonly Dictionary<int, int> _silent = [];
    private Task _looking = Task.CompletedTask;
    private bool _isDue;
    private int _ticks;

    /// <summary>Creates it.</summary>
    /// <param name="cluster">The cluster with the owners of slots.</param>
    /// <param name="sockets">The sockets of the server.</param>
    /// <param name="time">The clock.</param>
    /// <param name="logger">The log of missing answers.</param>
    public SharedSockets(CoapCluster cluster, CoapUdpTransport sockets, TimeProvider time, ILogger logger)
    {
        _cluster = cluster;
        _sockets = sockets;
        _probe = new SocketProbe(cluster.SocketKey);
        _time = time;
        _logger = logger;
    }

    /// <summary>Whether a datagram is a probe for the owner of a socket.</summary>
    /// <param name="datagram">The datagram.</param>
    public bool IsProbe(ReadOnlySpan<byte> datagram) =>
        datagram.Length == SocketProbe.Length && CoapUdpSlotTable.TryReadProbe(datagram, out _) && _sockets.SharedSockets > 0;

    /// <summary>Answers a probe of this cluster.</summary>
    /// <param name="datagram">The probe.</param>
    /// <param name="remote">Its sender.</param>
    /// <param name="port">The port for the answer.</param>
    public void Answer(ReadOnlySpan<byte> datagram, CoapAddress remote, CoapDtlsSteeringPort? port)
    {
        Span<byte> answer = stackalloc byte[SocketProbe.AnswerLength];
        if (_probe.TryAnswer(datagram, _cluster.Self.Id, _sockets.SharedSockets, _sockets.LocalAddresses, answer))
        {
            port?.Send(remote, answer);
        }
    }

    /// <summary>Handles a tick, once per second.</summary>
    public void Tick()
    {
        if (Interlocked.Increment(ref _ticks) % TicksOfRound == 1)
        {
            Look();
        }
    }

    /// <summary>Handles a possible change.</summary>
    public void Look()
    {
        if (_sockets.SharedSockets == 0)
        {
            // The failure is logged, if the port is shared all the same.
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
        // Probes need any table.
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

    // Finds the owners of an endpoint's sockets.
    private async Task<Dictionary<CoapNodeId, List<byte>>> FindAsync(CoapAddress way, CoapAddress endpoint)
    {
        Dictionary<CoapNodeId, List<byte>> found = [];
        bool isWhole = false;
        int silent = 0;
        for (int index = 0; index < CoapUdpSlotTable.MaxSockets && !isWhole && silent < MaxSilent; index++)
        {
            if (await AskAsync(way, endpoint, (byte)index).ConfigureAwait(false) is not { } answer)
            {
                // No records go there by slot. The other processes must get what they took over from a suspended node.
                silent++;
                continue;
            }

            if (!found.TryGetValue(answer.Node, out List<byte>? indices))
            {
                found.Add(answer.Node, indices = new List<byte>(answer.Count));
            }

            // If there is no such index, the process that the hash selected has answered, and all of its indexes are known.
            isWhole = indices.Count >= answer.Count;
            if (!isWhole)
            {
                indices.Add((byte)index);
            }
        }

        return found;
    }

    // Each from its own port, so that the hash does not select the same silent socket each time.
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
