using CoAP.NET.Cluster.Devices;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Devices;

/// <summary>Nodes with one store, and devices that have sessions with them, in virtual time.</summary>
internal sealed class DeviceWorld : IAsyncDisposable
{
    private readonly HashSet<CoapAddress> _deaf = [];
    private readonly List<DeviceNode> _nodes = [];
    private readonly List<CoapServer> _devices = [];
    private int _seed;

    public DeviceWorld()
    {
        Memory = new CoapMemoryCluster(Clock);
        Network = new InMemoryNetwork(Clock)
        {
            Filter = packet =>
            {
                lock (_deaf)
                {
                    return _deaf.Contains(packet.To) ? NetworkVerdict.Drop : NetworkVerdict.Pass;
                }
            },
        };
    }

    public VirtualClock Clock { get; } = new();

    public InMemoryNetwork Network { get; }

    public CoapMemoryCluster Memory { get; }

    /// <summary>Starts a node, whose server devices connect to.</summary>
    /// <param name="configure">Changes what the node does with devices.</param>
    /// <param name="hub">Connects the node with others; null: it is active alone, or stands by.</param>
    public async Task<DeviceNode> StartNodeAsync(Action<CoapDeviceOptions>? configure = null, NodeHub? hub = null)
    {
        int number = _nodes.Count + 1;
        CoapClusterOptions options = new()
        {
            Secrets = [Enumerable.Range(1, 32).Select(i => (byte)i).ToArray()],
            Lease = FromHours(1),
        };
        options.Moves.SettleTime = TimeSpan.Zero;
        options.Devices.NameOf = peer => (peer.Identity as CoapDtlsPeerIdentity)?.PskIdentity;
        configure?.Invoke(options.Devices);
        VirtualRandom random = new((ulong)++_seed);
        CoapCluster cluster = hub is null
            ? new CoapCluster(Memory.Open(), options, Clock, random)
            : hub.Make(Memory.Open(), options, Clock, random);
        await cluster.StartAsync();
        CoapAddress address = InMemoryNetwork.Address($"192.0.2.{number}:5684");
        CoapServer server = new(EndpointOptions());
        server.Endpoint.AddTransport(Network.CreateTransport("coaps", address));
        server.Endpoint.AddTransport(Network.CreateTransport(address with { Port = 5683 }));
        server.MapGet("/hello", () => CoapResults.Text("hello"));
        ((ClusterDevices)cluster.Devices).Local.Attach(server.Endpoint);
        await server.StartAsync();
        DeviceNode node = new(cluster, server, address);
        _nodes.Add(node);
        return node;
    }

    /// <summary>Makes a device, which serves <c>/state</c> and counts what it is asked.</summary>
    public async Task<TestDevice> StartDeviceAsync(string name, string scheme = "coaps")
    {
        CoapAddress address = InMemoryNetwork.Address($"198.51.100.{_devices.Count + 1}:5684");
        CoapServer server = new(EndpointOptions());
        server.Endpoint.AddTransport(Network.CreateTransport(scheme, address, scheme == "coaps" ? CoapTestIdentity.Psk(name) : null));
        TestDevice device = new(server, address, scheme);
        _devices.Add(server);
        await server.StartAsync();
        return device;
    }

    /// <summary>Makes a device a deaf one, which gets nothing though it may send; or the contrary.</summary>
    public void SetDeaf(TestDevice device, bool isDeaf)
    {
        lock (_deaf)
        {
            _ = isDeaf ? _deaf.Add(device.Address) : _deaf.Remove(device.Address);
        }
    }

    public Task<T> RunAsync<T>(Task<T> task) => Clock.AdvanceUntilAsync(task, FromMinutes(30));

    public Task RunAsync(Task task) => Clock.AdvanceUntilAsync(task, FromMinutes(30));

    /// <summary>Lets time pass, and everything happen that is due meanwhile.</summary>
    public Task PassAsync(TimeSpan time) => Clock.AdvanceUntilAsync(
        Task.Delay(time, Clock, CancellationToken.None), time + FromSeconds(1));

    public Task RunUntilAsync(Func<bool> condition) => Clock.AdvanceUntilAsync(condition, FromMinutes(30));

    public CoapEndpointOptions EndpointOptions() => new()
    {
        TimeProvider = Clock,
        Pipeline = { Random = new VirtualRandom((ulong)++_seed), Scheduler = new VirtualScheduler(Clock) },
    };

    public async ValueTask DisposeAsync()
    {
        foreach (CoapServer device in _devices)
        {
            await device.DisposeAsync();
        }

        foreach (DeviceNode node in _nodes)
        {
            await node.DisposeAsync();
        }
    }
}
