namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>
/// A UDP balancer: brings what devices send to nodes, and back what comes from a node to which the device has sent something, from an
/// address of its own for each device.
/// </summary>
internal sealed class SimulatedBalancer
{
    private const int MaxRecorded = 400;

    private readonly InMemoryNetwork _network;
    private readonly BalancerPort _front;
    private readonly BalancerKind _kind;
    private readonly Dice _dice;
    private readonly Dictionary<CoapAddress, Flow> _flows = [];
    private readonly List<(Flow Flow, byte[] Bytes)> _recorded = [];
    private CoapAddress[] _nodes = [];
    private int _next;

    /// <param name="network">The network.</param>
    /// <param name="kind">How it chooses.</param>
    /// <param name="dice">Chance.</param>
    public SimulatedBalancer(InMemoryNetwork network, BalancerKind kind, Dice dice)
    {
        (_network, _kind, _dice) = (network, kind, dice);
        _front = new BalancerPort(network, Address, TakeFromDevice);
    }

    /// <summary>Where devices send to.</summary>
    public static CoapAddress Address { get; } = InMemoryNetwork.Address("203.0.113.1:5684");


    /// <summary>Which nodes are used from now on. Devices of others go to another one with their next datagram.</summary>
    public void Use(IEnumerable<CoapAddress> nodes) => _nodes = [.. nodes];

    /// <summary>Forgets where devices belong.</summary>
    public void Forget()
    {
        foreach (Flow flow in _flows.Values)
        {
            flow.Home = default;
        }
    }

    /// <summary>Somebody sends again what a device once sent, to any node.</summary>
    /// <param name="which">Which of what was recorded.</param>
    public void Replay(int which)
    {
        if (_recorded.Count > 0 && _nodes.Length > 0)
        {
            (Flow flow, byte[] bytes) = _recorded[which % _recorded.Count];
            CoapAddress to = _nodes[which % _nodes.Length];
            flow.Sent.Add(to);
            flow.Back.Send(to, bytes);
        }
    }

    private void TakeFromDevice(CoapAddress device, byte[] bytes)
    {
        if (!_flows.TryGetValue(device, out Flow? flow))
        {
            flow = new Flow(device);
            _flows.Add(device, flow);
            flow.Back = new BalancerPort(_network, CoapAddress.FromIPv4(0x6440_0001 + (uint)_flows.Count, 5000),
                (node, answer) => TakeFromNode(flow, node, answer));
        }

        if (_nodes.Length == 0)
        {
            return;
        }

        // Application data only: handshakes are no use to whoever repeats them.
        if (bytes.Length > RecordReader.SequenceEnd && bytes[0] is RecordReader.Cid or RecordReader.ApplicationData
            && _recorded.Count < MaxRecorded)
        {
            _recorded.Add((flow, bytes));
        }

        // A handshake has to stay with a node; what sprays, sprays records of sessions.
        bool isSprayed = _kind == BalancerKind.Spray && bytes.Length > 0 && bytes[0] == RecordReader.Cid && !RecordReader.IsFirst(bytes);
        if (!isSprayed && (flow.Home == default || Array.IndexOf(_nodes, flow.Home) < 0))
        {
            flow.Home = _nodes[_next++ % _nodes.Length];
        }

        CoapAddress to = isSprayed ? _nodes[_dice.Between(0, _nodes.Length)] : flow.Home;
        flow.Sent.Add(to);
        flow.Back.Send(to, bytes);
    }

    private void TakeFromNode(Flow flow, CoapAddress node, byte[] bytes)
    {
        if (flow.Sent.Contains(node))
        {
            _front.Send(flow.Device, bytes);
        }
    }

    private sealed class Flow(CoapAddress device)
    {
        public CoapAddress Device { get; } = device;

        public BalancerPort Back { get; set; } = null!;

        public HashSet<CoapAddress> Sent { get; } = [];

        public CoapAddress Home { get; set; }
    }
}
