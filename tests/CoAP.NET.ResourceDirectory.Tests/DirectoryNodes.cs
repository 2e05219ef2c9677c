using System.Text;
using CoAP.NET.Cluster;
using CoAP.NET.Tests;

namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>
/// Nodes of a cluster that have a directory together, and a client of them, in virtual time. Devices are on a network in memory; links
/// between nodes go over loopback, so time passes slowly by what is due soon, and hardly a deadline comes while they are under way.
/// </summary>
internal sealed class DirectoryNodes : IAsyncDisposable
{
    private const int Quiet = 64;
    private static readonly TimeSpan s_soon = TimeSpan.FromMilliseconds(300);
    private static readonly TimeSpan s_step = TimeSpan.FromMilliseconds(2);
    private static readonly byte[] s_secret = [.. Enumerable.Range(1, 32).Select(static i => (byte)i)];

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

    public InMemoryNetwork Network { get; }

    public CoapClient Client { get; }

    /// <summary>Options of a cluster whose nodes share at once, and whose leases last as long as a test.</summary>
    public static CoapClusterOptions Options(bool isLinked) => new()
    {
        Secret = s_secret,
        LinkAddress = isLinked ? "coaps+tcp://127.0.0.1:0" : "",
        Lease = TimeSpan.FromHours(1),
        Moves = { SettleTime = TimeSpan.Zero, RelayTime = TimeSpan.Zero },
    };

    /// <summary>A node joins, with a directory that has loaded its registrations unless that is left to the test.</summary>
    public async Task<DirectoryNode> AddAsync(
        bool isLinked = true, bool isLoaded = true, TimeSpan? timeout = null, int maxRegistrations = 100_000)
    {
        CoapCluster cluster = new(Memory.Open(), Options(isLinked), Clock);
        await cluster.StartAsync();
        CoapDirectoryServer directory = new(cluster, new CoapDirectoryOptions
        {
            TimeProvider = Clock, Timeout = timeout ?? TimeSpan.FromMinutes(1), MaxRegistrations = maxRegistrations,
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
        CoapRequest request = new(method, node.Uri + path) { Timeout = TimeSpan.FromMinutes(5) };
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
        using CancellationTokenSource guard = new(TimeSpan.FromMinutes(2));
        string found;
        while (!isExpected(found = (await SendAsync(node, CoapMethod.Get, path)).GetText()))
        {
            Assert.False(guard.IsCancellationRequested, found);
        }
    }

    /// <summary>Waits, and lets time pass for what is due soon; for what is due later, when nothing happens for a while.</summary>
    public async Task PassUntilAsync(Func<bool> condition)
    {
        int quiet = 0;
        await Eventually.IsTrueAsync(() =>
        {
            if (condition())
            {
                return true;
            }

            TimeSpan? wait = Clock.NextDue - Clock.Elapsed;
            if (wait < s_soon)
            {
                Clock.Advance(s_step);
                quiet = 0;
            }
            else if (wait is not null && ++quiet == Quiet)
            {
                // Links that were lost as time went on are made again after some seconds.
                Clock.Advance(s_soon);
                quiet = 0;
            }

            return false;
        });
    }

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
        TimeProvider = Clock, Random = new VirtualRandom(++_seed), Scheduler = new VirtualScheduler(Clock),
    };
}
