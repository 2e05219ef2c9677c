using System.Net;
using CoAP.NET.Testing.Network;

namespace CoAP.NET.Testing;

/// <summary>A network of any number of hosts in one process. Thread-safe.</summary>
/// <remarks>
/// Time comes from a <see cref="System.TimeProvider"/>, randomness from one seed, and a trace records all events: a run with a
/// <see cref="VirtualClock"/> on one thread is reproducible. Datagrams arrive from <see cref="Pump"/>, which the clock calls when they are
/// due, and never inside the call that sends them. The network delivers one datagram at a time, so a receiver that blocks delays the
/// network. In parameters that select datagrams by address, port 0 means all ports of the host, and the default value means all hosts.
/// </remarks>
public sealed class InMemoryNetwork
{
    private readonly Lock _gate = new();
    private readonly TimeProvider _time;
    private readonly InMemoryNetworkOptions _options;
    private readonly NetworkElapsedTime _clock;
    private readonly NetworkHosts _hosts = new();
    private readonly NetworkFaults _faults;
    private readonly NetworkTrace _trace;
    private readonly DatagramDeliverer _delivery;

    /// <summary>Creates a network.</summary>
    /// <param name="timeProvider">The clock; a <see cref="VirtualClock"/> for reproducible runs.</param>
    /// <param name="options">The options; null for the defaults.</param>
    public InMemoryNetwork(TimeProvider timeProvider, InMemoryNetworkOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(timeProvider);
        _time = timeProvider;
        _options = options ?? new InMemoryNetworkOptions();
        _clock = new NetworkElapsedTime(timeProvider);
        _faults = new NetworkFaults(_options.Conditions);
        _trace = new NetworkTrace(_clock, _options.MaxTraceLength);
        _delivery = new DatagramDeliverer(_gate, timeProvider, _options, _clock, _hosts, _faults, _trace);
    }

    /// <summary>The clock of the network.</summary>
    public TimeProvider TimeProvider => _time;

    internal InMemoryNetworkOptions Options => _options;

    /// <summary>The time since the network was made.</summary>
    public TimeSpan Now => _clock.Now;

    /// <summary>
    /// A copy of the recorded events, oldest first. Contains the last <see cref="InMemoryNetworkOptions.MaxTraceLength"/> events.
    /// </summary>
    public IReadOnlyList<NetworkEvent> Trace
    {
        get
        {
            lock (_gate)
            {
                return _trace.ToArray();
            }
        }
    }

    internal DatagramDeliverer Delivery => _delivery;

    /// <summary>The number of datagrams and reports in flight.</summary>
    internal int InFlightCount => _delivery.Count;

    /// <summary>The conditions of all links without conditions of their own.</summary>
    /// <remarks>
    /// Conditions may change while the network runs. What happens to datagrams in flight is already decided, and later ones do not wait for
    /// them.
    /// </remarks>
    public NetworkConditions Conditions
    {
        get => _faults.Conditions;
        set
        {
            ArgumentNullException.ThrowIfNull(value);
            lock (_gate)
            {
                _faults.Conditions = value;
                _delivery.ForgetOrder();
            }
        }
    }

    /// <summary>Decides about each datagram when it is sent, before random faults; null for none. It must not send.</summary>
    /// <remarks>It runs on the sender's thread, outside the network's lock.</remarks>
    public Func<NetworkPacket, NetworkVerdict>? Filter { get; set; }

    /// <summary>Parses an address.</summary>
    /// <param name="text">Address and port, such as <c>192.0.2.1:5683</c> or <c>[2001:db8::1]:5683</c>; without a port it is 0.</param>
    /// <returns>The address.</returns>
    /// <exception cref="FormatException">The text is not an address.</exception>
    public static CoapAddress Address(string text) => CoapAddress.FromIPEndPoint(IPEndPoint.Parse(text));

    /// <summary>Creates a transport for an endpoint.</summary>
    /// <remarks>
    /// The transport holds its address from its start to its disposal. To restart a host, create a new transport with the same address.
    /// </remarks>
    /// <param name="local">The address; port 0 takes the next free port from 49152 on.</param>
    /// <returns>The transport.</returns>
    /// <exception cref="ArgumentException">The address is the wildcard or a group. A host of this network has one address.</exception>
    public CoapTransport CreateTransport(CoapAddress local) => CreateHost(local);

    /// <summary>Creates a transport of a scheme for an endpoint: <c>coap</c>, <c>coaps</c>, <c>coap+tcp</c> or <c>coaps+tcp</c>.</summary>
    /// <remarks>
    /// The secured schemes accept any claimed identity, without keys or handshakes. Streams deliver in real time and without the faults of
    /// the network.
    /// </remarks>
    /// <param name="scheme">The scheme.</param>
    /// <param name="local">The address; port 0 takes the next free port from 49152 on.</param>
    /// <param name="identity">The identity that peers see on secured schemes; null for <see cref="CoapTestIdentity.None"/>.</param>
    /// <returns>The transport.</returns>
    /// <exception cref="ArgumentException">
    /// The scheme is not supported, or the address is the wildcard or a group. A host of this network has one address.
    /// </exception>
    public CoapTransport CreateTransport(string scheme, CoapAddress local, CoapTestIdentity? identity = null)
    {
        CheckHost(local, nameof(local));
        identity ??= CoapTestIdentity.None;
        return scheme switch
        {
            "coap" => CreateHost(local),
            "coaps" => new InMemorySessionTransport(this, local, identity),
            "coap+tcp" => new InMemoryStreamTransport(this, local, isSecure: false, identity, new CoapStreamOptions()),
            "coaps+tcp" => new InMemoryStreamTransport(this, local, isSecure: true, identity, new CoapStreamOptions()),
            _ => throw new ArgumentException($"The network does not support '{scheme}'. Use coap, coaps, coap+tcp or coaps+tcp.",
                nameof(scheme)),
        };
    }

    /// <summary>Creates a peer whose messages the test scripts.</summary>
    /// <param name="local">Its address; port 0 takes the next free port from 49152 on.</param>
    /// <param name="remote">The destination of its messages. Default: the last sender.</param>
    /// <returns>The peer.</returns>
    /// <exception cref="ArgumentException">The address is the wildcard or a group. A host of this network has one address.</exception>
    /// <exception cref="CoapException">The address is in use.</exception>
    public ScriptedPeer CreatePeer(CoapAddress local, CoapAddress remote = default)
    {
        CheckHost(local, nameof(local));
        return new ScriptedPeer(this, local, remote);
    }

    /// <summary>Lets a host join a group: datagrams to the group arrive there too (RFC 7252 section 8).</summary>
    /// <param name="host">The address of a started transport or of a peer, as others see it.</param>
    /// <param name="group">Address and port of the group.</param>
    /// <exception cref="ArgumentException">No host has the address, or the group is not a multicast address.</exception>
    public void JoinGroup(CoapAddress host, CoapAddress group)
    {
        if (!group.IsMulticast)
        {
            throw new ArgumentException($"{group} is not a multicast address.", nameof(group));
        }

        lock (_gate)
        {
            if (!_hosts.TryFind(host, out NetworkNode? node))
            {
                throw new ArgumentException($"No host has the address {host}. Start its transport first.", nameof(host));
            }

            node.Groups.Add(group);
        }
    }

    /// <summary>Delivers all due datagrams, including those that are sent meanwhile without delay.</summary>
    /// <remarks>
    /// The clock calls this method; tests need it only without a clock that advances. It does nothing inside a delivery, or while another
    /// thread delivers: that thread continues until nothing is due.
    /// </remarks>
    /// <returns>The number of deliveries.</returns>
    /// <exception cref="InvalidOperationException">
    /// A hundred thousand datagrams were delivered without time passing: two hosts answer each other endlessly.
    /// </exception>
    public int Pump() => _delivery.Pump();

    /// <summary>Sets the conditions of one direction between addresses. If several apply, the last one wins.</summary>
    /// <param name="from">The sender.</param>
    /// <param name="to">The receiver.</param>
    /// <param name="conditions">The conditions.</param>
    public void SetConditions(CoapAddress from, CoapAddress to, NetworkConditions conditions)
    {
        ArgumentNullException.ThrowIfNull(conditions);
        lock (_gate)
        {
            _faults.SetConditions(new NetworkLinkMatcher(from, to), conditions);
            _delivery.ForgetOrder();
        }
    }

    /// <summary>Removes the conditions of all links, so that <see cref="Conditions"/> applies to all.</summary>
    internal void ClearConditions()
    {
        lock (_gate)
        {
            _faults.ClearConditions();
            _delivery.ForgetOrder();
        }
    }

    /// <summary>Separates two addresses in both directions. Datagrams in flight between them are lost too.</summary>
    /// <param name="one">One address.</param>
    /// <param name="other">The other address. Default: all hosts.</param>
    public void Partition(CoapAddress one, CoapAddress other = default)
    {
        lock (_gate)
        {
            _faults.Cut(new NetworkLinkMatcher(one, other));
            _faults.Cut(new NetworkLinkMatcher(other, one));
            _trace.Add(NetworkEventKind.Changed, null, other,
                $"{NetworkLinkMatcher.Describe(one)} and {NetworkLinkMatcher.Describe(other)} are cut off from each other");
        }
    }

    /// <summary>Blocks one direction between two addresses.</summary>
    /// <param name="from">The sender.</param>
    /// <param name="to">The receiver.</param>
    public void Block(CoapAddress from, CoapAddress to)
    {
        lock (_gate)
        {
            _faults.Cut(new NetworkLinkMatcher(from, to));
            _trace.Add(NetworkEventKind.Changed, null, to,
                $"nothing gets from {NetworkLinkMatcher.Describe(from)} to {NetworkLinkMatcher.Describe(to)}");
        }
    }

    /// <summary>Reverts every <see cref="Partition"/> and <see cref="Block"/>.</summary>
    public void Heal()
    {
        lock (_gate)
        {
            _faults.Heal();
            _trace.Add(NetworkEventKind.Changed, null, default, "all partitions are healed");
        }
    }

    /// <summary>Drops the next datagrams.</summary>
    /// <param name="count">The number of datagrams.</param>
    /// <param name="from">The sender. Default: any host.</param>
    /// <param name="to">The receiver. Default: any host.</param>
    /// <exception cref="ArgumentOutOfRangeException">The number is not positive.</exception>
    public void DropNext(int count = 1, CoapAddress from = default, CoapAddress to = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(count);
        lock (_gate)
        {
            _faults.Drop(new DropRule(new NetworkLinkMatcher(from, to), 0, count));
        }
    }

    /// <summary>Drops one datagram, counted from now on.</summary>
    /// <param name="n">The number of the datagram; 1 is the next one.</param>
    /// <param name="from">The sender. Default: any host.</param>
    /// <param name="to">The receiver. Default: any host.</param>
    /// <exception cref="ArgumentOutOfRangeException">The number is not positive.</exception>
    public void DropNth(int n, CoapAddress from = default, CoapAddress to = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(n);
        lock (_gate)
        {
            _faults.Drop(new DropRule(new NetworkLinkMatcher(from, to), n - 1, 1));
        }
    }

    /// <summary>Changes the address of a host as others see it, like a NAT that forgot its mapping, or a roaming device.</summary>
    /// <remarks>The host does not notice: its own local addresses stay. Datagrams to the old address are lost.</remarks>
    /// <param name="current">The current address as others see it.</param>
    /// <param name="next">The new address.</param>
    /// <exception cref="ArgumentException">
    /// No host has the current address, or the new one is not an address of a host with a port.
    /// </exception>
    /// <exception cref="CoapException">The new address is in use.</exception>
    public void Rebind(CoapAddress current, CoapAddress next)
    {
        CheckHost(next, nameof(next));
        ArgumentOutOfRangeException.ThrowIfZero(next.Port, nameof(next));
        lock (_gate)
        {
            _hosts.Rebind(current, next);
            _trace.Add(NetworkEventKind.Changed, null, next, $"{current} is now {next}");
        }
    }

    /// <summary>Takes a host off the network: datagrams from it and to it are lost silently.</summary>
    /// <param name="host">Its address as others see it.</param>
    public void TakeDown(CoapAddress host)
    {
        lock (_gate)
        {
            _faults.TakeDown(host);
            _trace.Add(NetworkEventKind.Changed, null, host, $"{NetworkLinkMatcher.Describe(host)} is down");
        }
    }

    /// <summary>Reconnects a host to the network.</summary>
    /// <param name="host">The address that was passed to <see cref="TakeDown"/>.</param>
    public void BringUp(CoapAddress host)
    {
        lock (_gate)
        {
            _delivery.BringUp(host);
        }
    }

    /// <summary>Takes a host off the network for a while.</summary>
    /// <remarks>
    /// Datagrams in flight to it are lost, including those that would arrive later. The host keeps its state. To lose the state, dispose
    /// its endpoint and create another one with the same address.
    /// </remarks>
    /// <param name="host">Its address as others see it.</param>
    /// <param name="downtime">The duration.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative.</exception>
    public void Restart(CoapAddress host, TimeSpan downtime)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(downtime, TimeSpan.Zero);
        TakeDown(host);
        lock (_gate)
        {
            _delivery.Restart(host, downtime);
        }
    }

    /// <summary>Formats the trace, one line for each event.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => PrintTrace(int.MaxValue);

    /// <summary>The hosts that accept sessions and connections.</summary>
    internal InMemoryListeners Listeners { get; } = new();

    internal InMemoryTransport CreateHost(CoapAddress local)
    {
        CheckHost(local, nameof(local));
        return new InMemoryTransport(this, local);
    }

    internal string PrintTrace(int last) => _delivery.PrintTrace(last);

    internal void PumpImmediately()
    {
        if (_options.DeliverImmediately)
        {
            Pump();
        }
    }

    internal void Send(NetworkNode node, CoapAddress to, byte[] data)
    {
        NetworkPacket packet = _delivery.Take(node, to, data);
        _delivery.Send(node, packet, Filter?.Invoke(packet) ?? NetworkVerdict.Pass);
    }

    internal NetworkNode Attach(CoapAddress local, INetworkReceiver receiver)
    {
        lock (_gate)
        {
            return _hosts.Attach(local, receiver);
        }
    }

    internal void Detach(NetworkNode node)
    {
        lock (_gate)
        {
            _hosts.Detach(node);
        }
    }

    private static void CheckHost(CoapAddress address, string name)
    {
        if (address.IsAny || address.IsMulticast)
        {
            throw new ArgumentException($"{address} is not the address of a host. Use a unicast address.", name);
        }
    }
}
