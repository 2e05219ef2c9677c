using System.Net.Sockets;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.ResourceDirectory.Tests.Clients;

/// <summary>A directory and a client on a network in memory, in virtual time.</summary>
internal sealed class DirectorySite : IAsyncDisposable
{
    public const string Address = "coap://[2001:db8::1]";
    public const string ClientAddress = "[2001:db8::9]:5683";

    private readonly List<CoapServer> _servers = [];
    private ulong _seed;

    public DirectorySite(bool notifies = true, Action<CoapEndpointOptions>? client = null)
    {
        Network = new InMemoryNetwork(Clock, new InMemoryNetworkOptions { Conditions = NetworkConditions.Delayed(s_delay) });
        Directory = new SmallDirectory(MakeServer("[2001:db8::1]:5683"), Clock, notifies);
        CoapEndpointOptions options = Resolving();
        options.Pipeline.Scheduler = new VirtualScheduler(Clock);
        client?.Invoke(options);
        Client = new CoapClient(options);
        Client.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address(ClientAddress)));
    }

    private static readonly TimeSpan s_delay = FromMilliseconds(5);

    public VirtualClock Clock { get; } = new();

    public InMemoryNetwork Network { get; }

    public SmallDirectory Directory { get; }

    public CoapClient Client { get; }

    public Dictionary<string, IPAddress[]> Names { get; } = new(StringComparer.Ordinal);

    public static Task<DirectorySite> StartAsync() => StartAsync(new DirectorySite());

    public static async Task<DirectorySite> StartAsync(DirectorySite site)
    {
        await site.Directory.Server.StartAsync();
        return site;
    }

    public CoapServer MakeServer(string address)
    {
        CoapServer server = new(Options());
        server.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address(address)));
        _servers.Add(server);
        return server;
    }

    public void MakeMember(string address, Action<CoapServer> map)
    {
        CoapServer server = new(Options());
        server.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address(address)));
        map(server);
        _servers.Add(server);
    }

    public Task StartServersAsync() => Task.WhenAll(_servers.Select(server => server.StartAsync()));

    public Task<T> RunAsync<T>(Task<T> task, TimeSpan? max = null) => Clock.AdvanceUntilAsync(task, max ?? FromMinutes(10));

    public Task RunAsync(Func<bool> condition, TimeSpan? max = null) => Clock.AdvanceUntilAsync(condition, max ?? FromMinutes(10));

    public Task<CoapDirectoryClient> DiscoverAsync(string uri = Address, CoapDirectoryClientOptions? options = null) =>
        RunAsync(CoapDirectoryClient.DiscoverAsync(Client, uri, options));

    public Task<List<T>> CollectAsync<T>(IAsyncEnumerable<T> results) => RunAsync(ReadAsync(results));

    public async ValueTask DisposeAsync()
    {
        await Client.DisposeAsync();
        foreach (CoapServer server in _servers)
        {
            await server.DisposeAsync();
        }
    }

    private static async Task<List<T>> ReadAsync<T>(IAsyncEnumerable<T> results)
    {
        List<T> all = [];
        await foreach (T result in results)
        {
            all.Add(result);
        }

        return all;
    }

    /// <summary>Options of an endpoint that knows <see cref="Names"/>.</summary>
    public CoapEndpointOptions Resolving()
    {
        CoapEndpointOptions options = Options();
        options.Transports.ResolveHost = (name, _) => Names.TryGetValue(name, out IPAddress[]? addresses)
            ? Task.FromResult(addresses)
            : Task.FromException<IPAddress[]>(new SocketException((int)SocketError.HostNotFound));
        return options;
    }

    private CoapEndpointOptions Options() => new() { TimeProvider = Clock, Pipeline = { Random = new VirtualRandom(++_seed) } };
}
