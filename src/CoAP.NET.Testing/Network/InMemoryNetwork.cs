using System.Net;
using CoAP.NET.Transports;

namespace CoAP.NET.Testing;

/// <summary>
/// A network of any number of hosts in one process. Its time is that of a <see cref="TimeProvider"/>, its chance that of one seed, and
/// everything that happens is kept in a trace: a run with a <see cref="VirtualClock"/> on one thread is the same each time. Datagrams
/// arrive from <see cref="Pump"/>, which the clock calls when they are due; never inside the call that sends them. Safe for several
/// threads; one datagram is delivered at a time, so a receiver that blocks holds up the network. Where an address is asked for to say which
/// datagrams are meant, port 0 stands for all ports of the host and the default value for everybody.
/// </summary>
public sealed class InMemoryNetwork
{
    private readonly Lock _gate = new();
    private readonly TimeProvider _time;
    private readonly InMemoryNetworkOptions _options;
    private readonly NetworkClock _clock;
    private readonly NetworkHosts _hosts = new();
    private readonly NetworkFaults _faults;
    private readonly NetworkTrace _trace;
    private readonly DatagramDelivery _delivery;

    /// <summary>Makes a network.</summary>
    /// <param name="timeProvider">Its time; a <see cref="VirtualClock"/> for runs that can be repeated.</param>
    /// <param name="options">How it works; null for the defaults.</param>
    public InMemoryNetwork(TimeProvider timeProvider, InMemoryNetworkOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(timeProvider);
        _time = timeProvider;
        _options = options ?? new InMemoryNetworkOptions();
        _clock = new NetworkClock(timeProvider);
        _faults = new NetworkFaults(_options.Conditions);
        _trace = new NetworkTrace(_clock, _options.MaxTraceLength);
        _delivery = new DatagramDelivery(_gate, timeProvider, _options, _clock, _hosts, _faults, _trace);
    }

    /// <summary>The clock of the network.</summary>
    public TimeProvider TimeProvider => _time;

    /// <summary>How it works.</summary>
    public InMemoryNetworkOptions Options => _options;

    /// <summary>The time since the network was made.</summary>
    public TimeSpan Now => _clock.Now;

    /// <summary>Everything that happened so far, oldest first, as a copy. The last <see cref="InMemoryNetworkOptions.MaxTraceLength"/>
    /// events.</summary>
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

    /// <summary>How many datagrams and reports are on their way.</summary>
    public int InFlightCount => _delivery.Count;

    /// <summary>
    /// The conditions of all links that have none of their own. May be changed while the network runs, like those of single links:
    /// datagrams on their way keep their fate, and later ones do not wait for them.
    /// </summary>
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

    /// <summary>Asked about each datagram when it is sent, before chance; null for none. Runs on the sender's thread, outside the network's
    /// lock; it must not send.</summary>
    public Func<NetworkPacket, NetworkVerdict>? Filter { get; set; }

    /// <summary>Makes an address from its text.</summary>
    /// <param name="text">Address and port, such as <c>192.0.2.1:5683</c> or <c>[2001:db8::1]:5683</c>; without a port it is 0.</param>
    /// <returns>The address.</returns>
    /// <exception cref="FormatException">The text is no address.</exception>
    public static CoapAddress Address(string text) => CoapAddress.FromIPEndPoint(IPEndPoint.Parse(text));

    /// <summary>Makes a transport for an endpoint. It has its address when it is started, and leaves it when it is disposed; a host that
    /// restarts is a new transport with the same address.</summary>
    /// <param name="local">The address; port 0 takes the next free one from 49152 on.</param>
    /// <returns>The transport.</returns>
    /// <exception cref="ArgumentException">The address is the wildcard or a group: a host of this network has one address.</exception>
    public InMemoryTransport CreateTransport(CoapAddress local)
    {
        CheckHost(local, nameof(local));
        return new InMemoryTransport(this, local);
    }

    /// <summary>
    /// Makes a transport of a scheme for an endpoint: <c>coap</c>, <c>coaps</c>, <c>coap+tcp</c> or <c>coaps+tcp</c>. The secured ones
    /// believe what an identity claims, without keys or handshakes. Streams arrive in real time and without the faults of the network.
    /// </summary>
    /// <param name="scheme">The scheme.</param>
    /// <param name="local">The address; port 0 takes the next free one from 49152 on.</param>
    /// <param name="identity">Who peers see over secured schemes; null for <see cref="CoapTestIdentity.None"/>.</param>
    /// <returns>The transport.</returns>
    /// <exception cref="ArgumentException">The scheme is none of them, or the address is the wildcard or a group: a host of this network
    /// has one address.</exception>
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
            _ => throw new ArgumentException($"'{scheme}' cannot be had in memory: coap, coaps, coap+tcp and coaps+tcp can.",
                nameof(scheme)),
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

    /// <summary>
    /// Delivers everything that is due, with what is sent meanwhile and takes no time. The clock calls this; tests need it only without a
    /// clock that advances. Does nothing inside a delivery or while another thread delivers: that one goes on until nothing is due.
    /// </summary>
    /// <returns>How many things were delivered.</returns>
    /// <exception cref="InvalidOperationException">A hundred thousand datagrams were delivered without time passing: two hosts answer each
    /// other for ever.</exception>
    public int Pump() => _delivery.Pump();

    /// <summary>Gives one direction between addresses conditions of its own. Of several that apply, the last one set counts.</summary>
    /// <param name="from">The sender.</param>
    /// <param name="to">The receiver.</param>
    /// <param name="conditions">The conditions.</param>
    public void SetConditions(CoapAddress from, CoapAddress to, NetworkConditions conditions)
    {
        ArgumentNullException.ThrowIfNull(conditions);
        lock (_gate)
        {
            _faults.SetConditions(new NetworkRule(from, to), conditions);
            _delivery.ForgetOrder();
        }
    }

    /// <summary>Takes the conditions of all links away again, so that <see cref="Conditions"/> holds for all.</summary>
    public void ClearConditions()
    {
        lock (_gate)
        {
            _faults.ClearConditions();
            _delivery.ForgetOrder();
        }
    }

    /// <summary>Cuts two addresses off from each other, in both directions. What is on its way between them is lost too.</summary>
    /// <param name="one">One address.</param>
    /// <param name="other">The other address; by default everybody.</param>
    public void Partition(CoapAddress one, CoapAddress other = default)
    {
        lock (_gate)
        {
            _faults.Cut(new NetworkRule(one, other));
            _faults.Cut(new NetworkRule(other, one));
            _trace.Add(NetworkEventKind.Changed, null, other,
                $"{NetworkRule.Say(one)} and {NetworkRule.Say(other)} are cut off from each other");
        }
    }

    /// <summary>Cuts one direction between two addresses.</summary>
    /// <param name="from">The sender.</param>
    /// <param name="to">The receiver.</param>
    public void Block(CoapAddress from, CoapAddress to)
    {
        lock (_gate)
        {
            _faults.Cut(new NetworkRule(from, to));
            _trace.Add(NetworkEventKind.Changed, null, to, $"nothing gets from {NetworkRule.Say(from)} to {NetworkRule.Say(to)}");
        }
    }

    /// <summary>Ends every <see cref="Partition"/> and <see cref="Block"/>.</summary>
    public void Heal()
    {
        lock (_gate)
        {
            _faults.Heal();
            _trace.Add(NetworkEventKind.Changed, null, default, "all partitions are healed");
        }
    }

    /// <summary>Loses the next datagrams.</summary>
    /// <param name="count">How many.</param>
    /// <param name="from">The sender; by default anybody.</param>
    /// <param name="to">The receiver; by default anybody.</param>
    /// <exception cref="ArgumentOutOfRangeException">The number is not positive.</exception>
    public void DropNext(int count = 1, CoapAddress from = default, CoapAddress to = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(count);
        lock (_gate)
        {
            _faults.Drop(new DropRule(new NetworkRule(from, to), 0, count));
        }
    }

    /// <summary>Loses one datagram, counted from now on.</summary>
    /// <param name="n">Which; 1 is the next one.</param>
    /// <param name="from">The sender; by default anybody.</param>
    /// <param name="to">The receiver; by default anybody.</param>
    /// <exception cref="ArgumentOutOfRangeException">The number is not positive.</exception>
    public void DropNth(int n, CoapAddress from = default, CoapAddress to = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(n);
        lock (_gate)
        {
            _faults.Drop(new DropRule(new NetworkRule(from, to), n - 1, 1));
        }
    }

    /// <summary>
    /// Gives a host another address in the eyes of all others, as a NAT does that forgot its mapping, or a device that roams. The host does
    /// not notice: its own local addresses stay. What goes to the old address finds nobody there.
    /// </summary>
    /// <param name="current">The address as others see it now.</param>
    /// <param name="next">The address from now on.</param>
    /// <exception cref="ArgumentException">Nobody has the current address, or the next one is no address of a host and port.</exception>
    /// <exception cref="CoapException">The next address is taken.</exception>
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

    /// <summary>Takes a host off the network: what it sends and what arrives for it is lost without a word.</summary>
    /// <param name="host">Its address as others see it.</param>
    public void TakeDown(CoapAddress host)
    {
        lock (_gate)
        {
            _faults.TakeDown(host);
            _trace.Add(NetworkEventKind.Changed, null, host, $"{NetworkRule.Say(host)} is down");
        }
    }

    /// <summary>Puts a host back on the network.</summary>
    /// <param name="host">Its address, as it was given to <see cref="TakeDown"/>.</param>
    public void BringUp(CoapAddress host)
    {
        lock (_gate)
        {
            _delivery.BringUp(host);
        }
    }

    /// <summary>
    /// Takes a host off the network for a while. What is on its way to it is lost, also what would arrive later. What stands at the address
    /// keeps its state; for a host that loses it, dispose its endpoint and make another one with the same address.
    /// </summary>
    /// <param name="host">Its address as others see it.</param>
    /// <param name="downtime">How long it is down.</param>
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

    /// <summary>The trace, one line for each event.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => PrintTrace(int.MaxValue);

    /// <summary>Who takes sessions and connections.</summary>
    internal InMemoryListeners Listeners { get; } = new();

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
}
