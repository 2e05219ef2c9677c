using System.Globalization;
using System.Net;
using CoAP.NET.Transports;

namespace CoAP.NET.Testing;

/// <summary>
/// A network of any number of hosts in one process. Its time is that of a <see cref="TimeProvider"/>, its chance that of one seed, and everything that happens
/// is kept in a trace: a run with a <see cref="VirtualClock"/> on one thread is the same each time.
/// Datagrams arrive from <see cref="Pump"/>, which the clock calls when they are due; never inside the call that sends them. Safe for several threads; one
/// datagram is delivered at a time, so a receiver that blocks holds up the network.
/// Where an address is asked for to say which datagrams are meant, port 0 stands for all ports of the host and the default value for everybody.
/// </summary>
public sealed partial class InMemoryNetwork
{
    private const ushort FirstEphemeralPort = 49152;

    private readonly Lock _gate = new();
    private readonly TimeProvider _time;
    private readonly long _started;
    private readonly InMemoryNetworkOptions _options;
    private readonly Dictionary<CoapAddress, NetworkNode> _nodes = [];
    private readonly Queue<NetworkEvent> _trace = new();
    private readonly ITimer _timer;
    private long _forgotten;

    /// <summary>Makes a network.</summary>
    /// <param name="timeProvider">Its time; a <see cref="VirtualClock"/> for runs that can be repeated.</param>
    /// <param name="options">How it works; null for the defaults.</param>
    public InMemoryNetwork(TimeProvider timeProvider, InMemoryNetworkOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(timeProvider);
        _time = timeProvider;
        _options = options ?? new InMemoryNetworkOptions();
        _conditions = _options.Conditions;
        _started = timeProvider.GetTimestamp();
        _timer = timeProvider.CreateTimer(static network => ((InMemoryNetwork)network!).Pump(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>The clock of the network.</summary>
    public TimeProvider TimeProvider => _time;

    /// <summary>How it works.</summary>
    public InMemoryNetworkOptions Options => _options;

    /// <summary>The time since the network was made.</summary>
    public TimeSpan Now => _time.GetElapsedTime(_started);

    /// <summary>Everything that happened so far, oldest first, as a copy. The last <see cref="InMemoryNetworkOptions.MaxTraceLength"/> events.</summary>
    public IReadOnlyList<NetworkEvent> Trace
    {
        get
        {
            lock (_gate)
            {
                return [.. _trace];
            }
        }
    }

    /// <summary>Makes an address from its text.</summary>
    /// <param name="text">Address and port, such as <c>192.0.2.1:5683</c> or <c>[2001:db8::1]:5683</c>; without a port it is 0.</param>
    /// <returns>The address.</returns>
    /// <exception cref="FormatException">The text is no address.</exception>
    public static CoapAddress Address(string text) => CoapAddress.FromIPEndPoint(IPEndPoint.Parse(text));

    /// <summary>Makes a transport for an endpoint. It has its address when it is started, and leaves it when it is disposed; a host that restarts is a new transport with the same address.</summary>
    /// <param name="local">The address; port 0 takes the next free one from 49152 on.</param>
    /// <returns>The transport.</returns>
    /// <exception cref="ArgumentException">The address is the wildcard or a group: a host of this network has one address.</exception>
    public InMemoryTransport CreateTransport(CoapAddress local)
    {
        CheckHost(local, nameof(local));
        return new InMemoryTransport(this, local);
    }

    /// <summary>
    /// Makes a transport of a scheme for an endpoint: <c>coap</c>, <c>coaps</c>, <c>coap+tcp</c> or <c>coaps+tcp</c>. The secured ones believe what an identity claims, without keys or handshakes.
    /// Streams arrive in real time and without the faults of the network.
    /// </summary>
    /// <param name="scheme">The scheme.</param>
    /// <param name="local">The address; port 0 takes the next free one from 49152 on.</param>
    /// <param name="identity">Who peers see over secured schemes; null for <see cref="CoapTestIdentity.None"/>.</param>
    /// <returns>The transport.</returns>
    /// <exception cref="ArgumentException">The scheme is none of them, or the address is the wildcard or a group: a host of this network has one address.</exception>
    public CoapTransport CreateTransport(string scheme, CoapAddress local, CoapTestIdentity? identity = null)
    {
        CheckHost(local, nameof(local));
        identity ??= CoapTestIdentity.None;
        return scheme switch
        {
            "coap" => new InMemoryTransport(this, local),
            "coaps" => new InMemorySessionTransport(this, local, identity),
            "coap+tcp" => new InMemoryStreamTransport(this, local, isSecure: false, identity, new CoapStreamOptions()),
            "coaps+tcp" => new InMemoryStreamTransport(this, local, isSecure: true, identity, new CoapStreamOptions()),
            _ => throw new ArgumentException($"'{scheme}' cannot be had in memory: coap, coaps, coap+tcp and coaps+tcp can.", nameof(scheme)),
        };
    }

    /// <summary>Makes a peer that says what the test has it say.</summary>
    /// <param name="local">Its address; port 0 takes the next free one from 49152 on.</param>
    /// <param name="remote">Where it sends to; by default to whoever sent to it last.</param>
    /// <returns>The peer.</returns>
    /// <exception cref="ArgumentException">The address is the wildcard or a group: a host of this network has one address.</exception>
    /// <exception cref="CoapException">The address is taken.</exception>
    public ScriptedPeer CreatePeer(CoapAddress local, CoapAddress remote = default)
    {
        CheckHost(local, nameof(local));
        return new ScriptedPeer(this, local, remote);
    }

    /// <summary>The trace, one line for each event.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => PrintTrace(int.MaxValue);

    /// <summary>Who takes sessions and connections.</summary>
    internal InMemoryListeners Listeners { get; } = new();

    internal string PrintTrace(int last)
    {
        NetworkEvent[] events;
        long forgotten;
        lock (_gate)
        {
            events = [.. _trace];
            forgotten = _forgotten;
        }

        long left = forgotten + Math.Max(0, events.Length - last);
        IEnumerable<string> lines = events.TakeLast(last).Select(static happened => happened.ToString());
        return string.Join(Environment.NewLine, left == 0 ? lines : lines.Prepend(string.Create(CultureInfo.InvariantCulture, $"({left} earlier events)")));
    }

    internal NetworkNode Attach(CoapAddress local, INetworkReceiver receiver)
    {
        lock (_gate)
        {
            if (local.Port == 0)
            {
                local = local with { Port = FreePort(local) };
            }

            NetworkNode node = new(local, receiver);
            if (!_nodes.TryAdd(local, node))
            {
                throw new CoapException($"The address {local} is taken on this network. Dispose what has it first, or ask for port 0.");
            }

            return node;
        }
    }

    internal void Detach(NetworkNode node)
    {
        lock (_gate)
        {
            if (_nodes.TryGetValue(node.Outside, out NetworkNode? there) && there == node)
            {
                _nodes.Remove(node.Outside);
            }
        }
    }

    internal void JoinGroup(NetworkNode node, CoapAddress group)
    {
        lock (_gate)
        {
            node.Groups.Add(group);
        }
    }

    private static void CheckHost(CoapAddress address, string name)
    {
        if (address.IsAny || address.IsMulticast)
        {
            throw new ArgumentException($"{address} is no address of a host.", name);
        }
    }

    private ushort FreePort(CoapAddress host)
    {
        for (int port = FirstEphemeralPort; port <= ushort.MaxValue; port++)
        {
            if (!_nodes.ContainsKey(host with { Port = (ushort)port }))
            {
                return (ushort)port;
            }
        }

        throw new CoapException($"The host {host.ToIPAddress()} has no free port left.");
    }

    // Under the lock.
    private void Note(NetworkEventKind kind, NetworkPacket? packet, CoapAddress to, string note = "")
    {
        if (_options.MaxTraceLength == 0)
        {
            return;
        }

        if (_trace.Count == _options.MaxTraceLength)
        {
            _trace.Dequeue();
            _forgotten++;
        }

        _trace.Enqueue(new NetworkEvent(Now, kind, packet, to, note));
    }
}
