using CoAP.NET.Cluster.Stores;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Cluster.Tests.Steering;

/// <summary>A node with a server, in this process.</summary>
internal sealed class SiteNode : IAsyncDisposable
{
    private readonly CoapServer _server;
    private Task? _end;

    private SiteNode(CoapCluster cluster, CoapServer server, CutStore store)
    {
        Cluster = cluster;
        _server = server;
        Store = store;
    }

    public CoapCluster Cluster { get; }

    public CoapServer Server => _server;

    public CutStore Store { get; }

    /// <summary>How many datagrams it posted to other nodes.</summary>
    public long Posted => ((HubNetwork)Cluster.Peers.Network!).Relayed;

    public IPEndPoint Address => new(IPAddress.Loopback, _server.LocalEndpoints[0].Port);

    /// <summary>How many datagrams were of no use to it.</summary>
    public long Rejected => _server.Endpoint.Counters[CoapCounter.RecordsRejected];

    /// <summary>How many sessions it has.</summary>
    public int Sessions => _server.Endpoint.ConnectedPeers.Count;

    public static async Task<SiteNode> StartAsync(NodeHub hub, CoapMemoryCluster memory, ICoapPskStore keys,
        Func<CoapRequestContext, CoapResult> handler,
        StringWriterLogger log, TimeSpan? lease = null, TimeProvider? time = null, int sharedPort = 0, TimeSpan? release = null)
    {
        CoapClusterOptions options = ClusterTests.Options(lease ?? FromHours(1));
        options.Devices.NameOf = peer => (peer.Identity as CoapDtlsPeerIdentity)?.PskIdentity;
        options.Moves.SettleTime = TimeSpan.Zero;
        options.Moves.RelayTime = TimeSpan.Zero;
        options.Moves.LeaveTimeout = FromMinutes(5);
        options.Moves.ReleaseTimeout = release ?? FromMinutes(1);
        CutStore store = new(memory.Open());
        CoapCluster cluster = hub.Make(store, options, time, logger: log);
        await cluster.StartAsync();
        CoapEndpointOptions endpoint = new() { LoggerFactory = log, Processes = { SharePort = sharedPort != 0 } };
        endpoint.TimeProvider = time ?? endpoint.TimeProvider;
        CoapServer server = new(cluster.KeepState(endpoint
            .UseDtls(new CoapDtlsOptions { Server = new CoapDtlsServerOptions { PskStore = keys } })));
        server.MapGet("/who", handler);
        server.MapPost("/count", handler);
        server.Listen($"coaps://127.0.0.1:{sharedPort}");
        cluster.Attach(server);
        await server.StartAsync();
        return new SiteNode(cluster, server, store);
    }

    /// <summary>What happened to it, for whoever wonders why something was lost.</summary>
    public string Describe() =>
        $"{Cluster.Self.Id} at {Address}: {Cluster.GetNodeCounters()}, {Posted} posts, "
            + $"sessions {Sessions}, rejected {Rejected}";

    public ValueTask DisposeAsync() => new(_end ??= EndAsync());

    private async Task EndAsync()
    {
        await _server.DisposeAsync();
        await Cluster.DisposeAsync();
    }
}
