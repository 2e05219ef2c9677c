using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Tests.Nodes;

namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>
/// Nodes of a cluster that have a directory together, and a client of them, in virtual time. Devices are on a network in memory, and a hub
/// connects the nodes.
/// </summary>
internal sealed class DirectoryNodes : IAsyncDisposable
{
    private static readonly TimeSpan s_long = FromHours(1);
    private static readonly byte[] s_secret = [.. Enumerable.Range(1, 32).Select(i => (byte)i)];

    private readonly List<DirectoryNode> _nodes = [];
    private ulong _seed;

    public DirectoryNodes()
    {
        Memory = new CoapMemoryCluster(Clock);
        Network = new InMemoryNetwork(Clock);
        Client = new CoapClient(MakeOptions());
        Client.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address("[2001:db8::99]:5683")));
    }

    public VirtualClock Clock { get; } = new();

    public CoapMemoryCluster Memory { get; }

    public NodeHub Hub { get; } = new();

    public InMemoryNetwork Network { get; }

    public CoapClient Client { get; }

    /// <summary>Options of a cluster whose nodes share at once, and whose leases last as long as a test.</summary>
    public static CoapClusterOptions Options() => new()
    {
        Secrets = [s_secret],
        Lease = FromHours(1),
        Moves = { SettleTime = TimeSpan.Zero, RelayTime = TimeSpan.Zero },
    };

    /// <summary>A node joins, with a directory that has loaded its registrations unless that is left to the test.</summary>
    public async Task<DirectoryNode> AddAsync(
        bool isLoaded = true, TimeSpan? timeout = null, int maxRegistrations = 100_000)
    {
        CoapCluster cluster = Hub.Make(Memory.Open(), Options(), Clock);
        await cluster.StartAsync();
        await PassUntilAsync(() => cluster.Map.SlotsOf(cluster.Self.Id).Count > 0);
        CoapDirectoryServer directory = new(cluster, new CoapDirectoryOptions
        {
            TimeProvider = Clock, Limits = { Timeout = timeout ?? FromMinutes(1), MaxRegistrations = maxRegistrations },
        });
        CoapServer server = new(MakeOptions());
        string address = $"[2001:db8::{_nodes.Count + 1:x}]";
        server.Routes.MapResourceDirectory(directory);
        server.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address(address + ":5683")));
        await server.StartAsync();
        DirectoryNode node = new(cluster, directory, server, "coap://" + address);
        _nodes.Add(node);
        if (isLoaded)
        {
            await PassAsync(directory.StartAsync());
        }

        return node;
    }

    /// <summary>Waits until all nodes have their share of the slots.</summary>
    public Task ShareAsync() => PassUntilAsync(() => _nodes.All(node =>
        _nodes.All(other => node.Cluster.Map.SlotsOf(other.Cluster.Self.Id).Count == CoapSlot.Count / _nodes.Count)));

    public async Task<CoapResponse> SendAsync(DirectoryNode node, CoapMethod method, string path, string? links = null)
    {
        CoapRequest request = new(method, node.Uri + path) { Timeout = FromMinutes(5) };
        if (links is not null)
        {
            request.Content = new CoapContent(Encoding.UTF8.GetBytes(links), CoapContentFormat.LinkFormat);
        }

        Task<CoapResponse> sent = Client.SendAsync(request);
        await PassAsync(sent);
        return await sent;
    }

    /// <summary>Registers, and expects that it is taken.</summary>
    /// <returns>The location.</returns>
    public async Task<string> RegisterAsync(DirectoryNode node, string query, string links)
    {
        CoapResponse response = await SendAsync(node, CoapMethod.Post, "/rd?" + query, links);
        Assert.True(response.Code == CoapCode.Created, $"{response.Code} {response.GetText()}");
        return DirectoryWorld.LocationOf(response);
    }

    /// <summary>Looks up until a node says what is expected, which it may have to hear of first.</summary>
    public async Task FindsAsync(DirectoryNode node, string path, Func<string, bool> isExpected)
    {
        TimeSpan began = Clock.Elapsed;
        string found;
        while (!isExpected(found = (await SendAsync(node, CoapMethod.Get, path)).GetText()))
        {
            Assert.True(Clock.Elapsed - began < s_long, found);
            Clock.Advance(FromMilliseconds(100));
        }
    }

    /// <summary>Waits, and lets time pass.</summary>
    public Task PassUntilAsync(Func<bool> condition) => Clock.AdvanceUntilAsync(condition, s_long);

    public async Task PassAsync(Task task)
    {
        await PassUntilAsync(() => task.IsCompleted);
        await task;
    }

    public async ValueTask DisposeAsync()
    {
        await PassAsync(Client.DisposeAsync().AsTask());
        foreach (DirectoryNode node in _nodes)
        {
            await PassAsync(node.DisposeAsync().AsTask());
        }
    }

    private CoapEndpointOptions MakeOptions() => new()
    {
        TimeProvider = Clock, Pipeline = { Random = new VirtualRandom(++_seed), Scheduler = new VirtualScheduler(Clock) },
    };
}
