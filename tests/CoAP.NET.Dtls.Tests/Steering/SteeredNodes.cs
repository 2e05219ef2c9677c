namespace CoAP.NET.Dtls.Tests.Steering;

/// <summary>Several servers that share 256 slots and answer whatever they are told, and clients, all on one thread.</summary>
internal sealed class SteeredNodes : IDisposable
{
    private readonly SharedHandshakeContext _serverContext =
        new(new HandshakeSettings { IsServer = true, Suites = [CipherSuite.All[0]], OwnCidLength = DtlsServer.CidLength });

    private readonly SharedHandshakeContext _clientContext = new(new HandshakeSettings
    {
        IsServer = false,
        Suites = CipherSuite.All,
        OwnCidLength = 0,
        RetransmitTimeout = FromSeconds(30)
    });

    private readonly List<SteeredNode> _nodes;
    private readonly Queue<(DtlsPath To, byte[] Bytes)> _toClients = new();
    private readonly Dictionary<CoapAddress, BenchClient> _clients = [];

    public SteeredNodes(int count)
    {
        _nodes = [.. Enumerable.Range(1, count).Select(number => new SteeredNode(this, number, _serverContext))];
        Owners = [.. Enumerable.Range(0, 256).Select(slot => 1 + (slot * count / 256))];
    }

    public VirtualClock Clock { get; } = new();

    /// <summary>The number of the node that has each slot; 0: none has.</summary>
    public List<int> Owners { get; }

    /// <summary>Nodes to which there is no link.</summary>
    public HashSet<int> Down { get; } = [];

    /// <summary>Which node a datagram of a client arrives at.</summary>
    public Func<int> Balance { get; set; } = () => 1;

    /// <summary>What was sent to clients: from which node, and to which local address it had come.</summary>
    public List<(int Node, CoapAddress Local)> Sent { get; } = [];

    /// <summary>What clients sent.</summary>
    public List<byte[]> Arrived { get; } = [];

    public SteeredNode this[int number] => _nodes[number - 1];

    public static CoapAddress LocalOf(int node) => CoapAddress.FromIPv4(0xC0000200u + (uint)node, 5_684);

    public BenchClient Connect(int host, bool withCid = true)
    {
        BenchClient client = new(_clientContext, Clock, SendToServers, ServerBench.Path(host), "user", ServerBench.Key, withCid);
        _clients[client.Path.Remote] = client;
        client.Handshake.Start(null);
        client.Flush();
        Carry();
        return client;
    }

    public void Move(BenchClient client, int host)
    {
        client.Path = ServerBench.Path(host);
        _clients[client.Path.Remote] = client;
    }

    /// <summary>A client says something; what comes back is an answer.</summary>
    public void Say(BenchClient client, params byte[] content)
    {
        client.Session!.Send(content);
        Carry();
    }

    /// <summary>Hands a slot over, exactly.</summary>
    public async Task MoveSlotAsync(byte slot, int to)
    {
        SteeredNode from = this[Owners[slot]];
        Owners[slot] = 0;
        await from.Port.ReleaseAsync(slot, default);
        Owners[slot] = to;
        this[to].Load(from, slot);
    }

    public void SendToServers(DtlsPath path, byte[] datagram)
    {
        int node = Balance();
        Arrived.Add([.. datagram]);
        this[node].Server.Receive(path with { Local = LocalOf(node), Tag = node }, datagram);
    }

    public void Send(int node, in DtlsPath path, ReadOnlySpan<byte> datagram)
    {
        Sent.Add((node, path.Local));
        _toClients.Enqueue((path, datagram.ToArray()));
    }

    public void Carry()
    {
        while (_toClients.TryDequeue(out (DtlsPath To, byte[] Bytes) one))
        {
            if (_clients.TryGetValue(one.To.Remote, out BenchClient? client))
            {
                client.Receive(one.Bytes);
            }
        }
    }

    public void Dispose()
    {
        _nodes.ForEach(node => node.Dispose());
        foreach (BenchClient client in _clients.Values)
        {
            client.Handshake.Dispose();
        }

    }
}
