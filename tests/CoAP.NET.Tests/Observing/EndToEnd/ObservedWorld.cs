using CoAP.NET.Composition.Stages;
using CoAP.NET.Diagnostics;
using CoAP.NET.Exchanges;
using CoAP.NET.Observing.Server;
using CoAP.NET.Testing;
using CoAP.NET.Testing.Network;

namespace CoAP.NET.Tests.Observing.EndToEnd;

/// <summary>
/// A server of this library that may restart and move, clients of this library, and a network between them that may be bad. One thread, one
/// seed.
/// </summary>
internal sealed class ObservedWorld : IAsyncDisposable
{
    public const string Host = "device.example";

    private readonly int _seed;
    private readonly int _shards;
    private readonly List<Resource> _resources = [];
    private readonly List<InMemoryTransport> _transports = [];
    private readonly List<CoapServer> _former = [];
    private CoapServer? _server;
    private int _made;
    private int _nextPort = 20_000;

    public ObservedWorld(int seed, int shards = 4)
    {
        _seed = seed;
        _shards = shards;
        Network = new InMemoryNetwork(Clock, new InMemoryNetworkOptions { Seed = (ulong)seed, MaxTraceLength = 0 });
        Address = AddressNumber(0);
    }

    public VirtualClock Clock { get; } = new();

    public InMemoryNetwork Network { get; }

    public CoapAddress Address { get; private set; }

    public CoapServer Server => _server!;

    public List<CoapClient> Clients { get; } = [];

    public List<Watcher> Watchers { get; } = [];

    /// <summary>Over all servers so far.</summary>
    public long Counted(CoapCounter counter) => _former.Append(Server).Sum(server => server.Counters[counter]);

    public static CoapAddress AddressNumber(int i) => InMemoryNetwork.Address($"192.0.2.{1 + i}:5683");

    public static string Representation(string name, int version, int length)
    {
        string head = $"{name}:{version};";
        if (length <= head.Length)
        {
            return head;
        }

        StringBuilder text = new(head, length + head.Length);
        while (text.Length < length)
        {
            text.Append(head);
        }

        return text.ToString(0, length);
    }

    public void Add(string name, bool confirmable, double maxAge, bool refresh = false, int length = 0, bool isStream = false) =>
        _resources.Add(new Resource(name, confirmable, FromSeconds(maxAge), refresh, length, isStream));

    public int VersionOf(string name) => _resources.Single(resource => resource.Name == name).Version;

    public void Change(string name)
    {
        Resource resource = _resources.Single(resource => resource.Name == name);
        resource.Version++;
        resource.Route!.Notify();
    }

    public async Task StartAsync()
    {
        CoapServer server = new(Options(_shards));
        foreach (Resource resource in _resources)
        {
            resource.Map(server);
        }

        server.Endpoint.AddTransport(Network.CreateTransport(Address));
        await server.StartAsync();
        _server = server;
    }

    /// <summary>The process ends without a word to anybody, and another begins at the same or another address.</summary>
    public async Task RestartAsync(CoapAddress? address = null)
    {
        _former.Add(Server);
        await Server.DisposeAsync();
        Address = address ?? Address;
        await StartAsync();
    }

    public CoapClient AddClient(int shards = 1)
    {
        CoapEndpointOptions options = Options(shards);
        options.Transports.ResolveHost = (_, _) => Task.FromResult(new[] { Address.ToIPAddress() });
        CoapClient client = new(options);
        InMemoryTransport transport =
            Network.CreateHost(InMemoryNetwork.Address($"198.51.{100 + (Clients.Count / 250)}.{1 + (Clients.Count % 250)}:40000"));
        client.Endpoint.AddTransport(transport);
        Clients.Add(client);
        _transports.Add(transport);
        return client;
    }

    /// <summary>A client's address changes in the eyes of the server, as behind a NAT.</summary>
    public void Rebind(int client)
    {
        CoapAddress current = _transports[client].PublicAddress;
        Network.Rebind(current, current with { Port = (ushort)_nextPort++ });
    }

    public CoapAddress PublicAddressOf(int client) => _transports[client].PublicAddress;

    public Watcher Watch(CoapClient client, string name, CoapMethod? method = null, string? content = null)
    {
        Watcher watcher = new(name);
        CoapRequest request = new(method ?? CoapMethod.Get, $"coap://{Host}/{name}");
        if (content is not null)
        {
            request.Content = CoapContent.Text(content);
        }

        watcher.Begin(client, request);
        Watchers.Add(watcher);
        return watcher;
    }

    /// <summary>
    /// Whether everybody was told the state that is. Not whether tasks have ended: their continuations run on threads that know nothing of
    /// this clock.
    /// </summary>
    public bool IsConsistent => Watchers.TrueForAll(watcher => watcher.Seen == VersionOf(watcher.Name));

    public string Describe() => string.Join(", ", Watchers
        .Where(watcher => watcher.Seen != VersionOf(watcher.Name))
        .Select(watcher =>
            $"{watcher.Name} {watcher.Seen} "
                + $"of {VersionOf(watcher.Name)} {(watcher.Registering!.IsCompletedSuccessfully ? $"{watcher.Observation.State} {watcher.Observation.Error?.Message}" : "not begun")}"));

    public void AssertNothingWrong()
    {
        Assert.All(Watchers, watcher => Assert.True(watcher.Wrong.Count == 0, $"{watcher.Name}: {string.Join("; ", watcher.Wrong)}"));
        foreach (CoapEndpoint endpoint in Clients.Select(client => client.Endpoint).Append(Server.Endpoint))
        {
            Assert.Equal(0, endpoint.Counters[CoapCounter.StageErrors]);
            Assert.Equal(0, endpoint.Counters[CoapCounter.HandlerErrors]);
        }
    }

    /// <summary>That nothing is left: no observer, token, pinned peer, message or timer on either side.</summary>
    public void AssertFreed()
    {
        Assert.Equal(0, Server.ObserverCount);
        foreach (CoapClient client in Clients)
        {
            Assert.Equal((0, 0), (client.Endpoint.Observed.Count, client.Endpoint.Observed.Registrations));
        }

        foreach (CoapShardPipeline pipeline in Clients.SelectMany(client => client.Endpoint.Pipelines).Concat(Server.Endpoint.Pipelines))
        {
            foreach (CoapChannel channel in pipeline.Channels.All())
            {
                Assert.Equal((0, 0), (channel.Pins, ExchangeLayer.MultiResponseTokenCountOf(channel)));
                Assert.Null(PeerObservers.Of(channel));
            }

            Assert.Equal((0, 0, 0, 0),
                (pipeline.Messages.Outstanding, pipeline.Messages.Waiting, pipeline.Messages.Memory.Running,
                    pipeline.Observers.Count));
            Assert.Equal(pipeline.Channels.WatchesIdle ? 1 : 0, pipeline.Shard.Wheel.Count);
        }

        Assert.Equal(0, Server.Endpoint.Served.Count);
        Assert.Equal(0, Network.InFlightCount);
    }

    /// <summary>Everybody leaves; a day later nothing is left of them.</summary>
    public async Task EndAsync()
    {
        foreach (Watcher watcher in Watchers)
        {
            await watcher.DisposeAsync();
        }

        for (int hour = 0; hour < 25; hour++)
        {
            Clock.Advance(FromHours(1));
            _resources.ForEach(resource => Change(resource.Name));
        }

        Clock.Advance(FromHours(1));
        AssertNothingWrong();
        AssertFreed();
    }

    public async ValueTask DisposeAsync()
    {
        foreach (CoapClient client in Clients)
        {
            await client.DisposeAsync();
        }

        if (_server is not null)
        {
            await _server.DisposeAsync();
        }
    }

    private CoapEndpointOptions Options(int shards) => new()
    {
        TimeProvider = Clock,
        Pipeline = { Random = new VirtualRandom((ulong)((_seed * 1_000L) + _made++)) },
        Transports = { Shards = shards },
    };

    /// <summary>What is observed. It outlives the server, as what a sensor measures does.</summary>
    private sealed class Resource(string name, bool confirmable, TimeSpan maxAge, bool refresh, int length, bool isStream)
    {
        public string Name => name;

        public int Version { get; set; }

        public CoapRouteHandlerBuilder? Route { get; private set; }

        public void Map(CoapServer server) =>
            Route = server.Map("/" + name, [CoapMethod.Get, CoapMethod.Fetch], Answer).Observable(observe =>
            {
                observe.MaxAge = maxAge;
                observe.Confirmable = confirmable;
                observe.Refresh = refresh;
            });

        private CoapResult Answer(CoapRequestContext request)
        {
            // A version has one length, and not every version the same.
            string text = Representation(name, Version, length == 0 ? 0 : length + (Version * 37 % 500));
            return isStream
                ? CoapResults.Stream(new MemoryStream(Encoding.UTF8.GetBytes(text)), CoapETag.FromVersion((ulong)Version),
                    CoapContentFormat.TextPlain)
                : CoapResults.Text(text);
        }
    }
}
