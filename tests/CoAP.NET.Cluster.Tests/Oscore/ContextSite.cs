using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Oscore;

/// <summary>Several nodes with real sockets behind a balancer, and devices with OSCORE contexts, each of which is at one node.</summary>
internal sealed class ContextSite : IAsyncDisposable
{
    private static readonly byte[] s_server = [0x53];
    private static readonly TimeSpan s_patience = FromMinutes(4);

    private readonly List<CoapClient> _devices = [];
    private readonly List<Node> _started = [];
    private readonly StringWriterLogger _log = new();

    public static TimeSpan Lease { get; } = FromHours(1);

    public CoapMemoryCluster Memory { get; } = new();

    public NodeHub Hub { get; } = new();

    public TestBalancer Balancer { get; } = new();

    public List<Node> Nodes { get; } = [];

    public IReadOnlyList<CoapClient> Devices => _devices;

    /// <summary>The names of unsafe requests, with the nodes that served them.</summary>
    public ConcurrentQueue<(string Name, Node Node)> Served { get; } = [];

    /// <summary>Starts nodes and devices.</summary>
    /// <param name="nodes">The number of nodes.</param>
    /// <param name="devices">The number of devices.</param>
    /// <param name="last">The clock of the last node; null for the system clock.</param>
    public static async Task<ContextSite> StartAsync(int nodes, int devices, TimeProvider? last = null)
    {
        ContextSite site = new();
        for (int i = 0; i < nodes; i++)
        {
            site.Nodes.Add(await site.StartNodeAsync(i == nodes - 1 ? last : null));
        }

        await site.FairAsync();
        site.Use();
        for (int i = 0; i < devices; i++)
        {
            site.AddDevice((byte)(i + 1));
        }

        return site;
    }

    /// <summary>The balancer sends to the nodes that there are.</summary>
    public void Use() => Balancer.Use([.. Nodes.Select(node => node.Address)]);

    /// <summary>Waits until the nodes share the slots and know each other.</summary>
    public async Task FairAsync()
    {
        await SharingNodes.FairAsync([.. Nodes.Select(node => node.Cluster)]);
        await Eventually.IsTrueAsync(() => Nodes.All(node => node.Cluster.Peers.Up.Count >= Nodes.Count - 1));
    }

    /// <summary>The node with the context of a device.</summary>
    public Node OwnerOf(int device)
    {
        CoapSlot slot = SlotOf(device);
        return Nodes.Single(node => node.Cluster.FenceOf(slot).IsSet);
    }

    public static CoapSlot SlotOf(int device)
    {
        using OscoreParameters parameters = ParametersOf((byte)(device + 1));
        return CoapSlot.OfName(OscoreStoreKey.Of(parameters).Bytes.Span);
    }

    public string Uri(string path) => $"coap://127.0.0.1:{Balancer.Port}/{path}";

    /// <summary>A device sends an unsafe request, and is answered.</summary>
    public async Task CountAsync(int device, string name)
    {
        CoapRequest count = new(CoapMethod.Post, Uri($"count?{name}")) { Timeout = s_patience };
        CoapResponse response = await _devices[device].SendAsync(count);
        Assert.True(response.Code == CoapCode.Changed, $"{response.Code} {response.GetText()}\n{Describe()}");
    }

    /// <summary>What happened to its nodes, for whoever wonders why something was lost.</summary>
    public string Describe() =>
        $"{string.Join("\n", _started.Select(node => node.Cluster.GetNodeCounters()))}\n{_log}";

    public async ValueTask DisposeAsync()
    {
        foreach (CoapClient device in _devices)
        {
            await device.DisposeAsync();
        }

        foreach (Node node in _started)
        {
            await node.DisposeAsync();
        }

        await Balancer.DisposeAsync();
    }

    private static OscoreParameters ParametersOf(byte device) => new(
        [.. Enumerable.Repeat(device, 16)], senderId: s_server, recipientId: [device, device]);

    private void AddDevice(byte device)
    {
        using OscoreParameters parameters = new(
            [.. Enumerable.Repeat(device, 16)], senderId: [device, device], recipientId: s_server);
        CoapClient client = new(new CoapEndpointOptions
        {
            Parameters = CoapTransmissionParameters.Default with { AckTimeout = FromMilliseconds(200), MaxRetransmit = 11 },
        }.UseOscore(new OscoreContexts().Add(Uri(""), OscoreContext.CreateVolatile(parameters))));
        _devices.Add(client);
    }

    private async Task<Node> StartNodeAsync(TimeProvider? time)
    {
        CoapClusterOptions options = ClusterTests.Options(Lease);
        options.Moves.SettleTime = TimeSpan.Zero;
        options.Moves.RelayTime = TimeSpan.Zero;
        CutStore store = new(Memory.Open());
        CoapCluster cluster = Hub.Make(store, options, time, logger: _log);
        await cluster.StartAsync();
        CoapServer server = new(cluster.KeepState(new CoapEndpointOptions
        {
            LoggerFactory = _log,
            Parameters = CoapTransmissionParameters.Default with { AckTimeout = FromMilliseconds(200), MaxRetransmit = 11 },
        }.UseOscore(new OscoreContexts { Resolver = new Resolver(this, cluster.OscoreStore) })));
        Node node = new(cluster, server, store);
        server.MapPost("/count", request =>
        {
            Served.Enqueue((request.Queries.Single(), node));
            return CoapResults.Changed();
        }).RequireOscore();
        node.State = server.MapGet("/state", () => CoapResults.Text(node.Text)).Observable().RequireOscore();
        server.MapGet("/plain", () => CoapResults.Text("plain"));
        server.Listen("coap://127.0.0.1:0");
        cluster.Attach(server);
        await server.StartAsync();
        _started.Add(node);
        return node;
    }

    internal sealed class Node(CoapCluster cluster, CoapServer server, CutStore store) : IAsyncDisposable
    {
        private volatile string _text = "0";
        private Task? _end;

        public CoapCluster Cluster { get; } = cluster;

        public CoapServer Server { get; } = server;

        public CutStore Store { get; } = store;

        public CoapRouteHandlerBuilder State { get; set; } = null!;

        public string Text
        {
            get => _text;
            set => _text = value;
        }

        public IPEndPoint Address => IPEndPoint.Parse(Server.LocalEndpoints[0].Origin()["coap://".Length..]);

        public ValueTask DisposeAsync() => new(_end ??= EndAsync());

        private async Task EndAsync()
        {
            await Server.DisposeAsync();
            await Cluster.DisposeAsync();
        }
    }

    /// <summary>Lookups wait for this before they open a context.</summary>
    public Func<Task> BeforeLookup { get; set; } = () => Task.CompletedTask;

    private sealed class Resolver(ContextSite site, IOscoreStore store) : IOscoreContextResolver
    {
        public async ValueTask<OscoreContext?> FindAsync(
            ReadOnlyMemory<byte> kid, ReadOnlyMemory<byte>? idContext, CancellationToken cancellationToken)
        {
            await site.BeforeLookup();
            using OscoreParameters parameters = ParametersOf(kid.Span[0]);
            return await OscoreContext.OpenAsync(parameters, store, cancellationToken: cancellationToken);
        }
    }
}
