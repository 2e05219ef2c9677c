using System.Net;
using System.Net.Sockets;
using CoAP.NET.Proxy;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Shared;

/// <summary>A client, a proxy and an origin server on a network in memory, in virtual time.</summary>
public sealed class ProxyWorld : IAsyncDisposable
{
    internal const string ProxyUri = "coap://[2001:db8::1]";
    internal const string OriginUri = "coap://[2001:db8:1::1]";

    private readonly List<IAsyncDisposable> _others = [];
    private ulong _seed;
    private int _port = 50_000;

    public ProxyWorld(Action<CoapProxyOptions>? configure = null, InMemoryNetworkOptions? network = null)
    {
        Network = new InMemoryNetwork(Clock, network);
        ProxyServer = MakeServer("[2001:db8::1]:5683");
        Origin = MakeServer("[2001:db8:1::1]:5683");
        Client = MakeClient("[2001:db8::2]");
        CoapProxyOptions options = new() { ConfigureClient = Configure };
        options.Targets.AllowNetwork("2001:db8:1::/48");
        configure?.Invoke(options);
        Proxy = MakeProxy(options, "[2001:db8::1]");
    }

    internal VirtualClock Clock { get; } = new();

    internal InMemoryNetwork Network { get; }

    internal CoapServer ProxyServer { get; }

    internal CoapServer Origin { get; }

    internal CoapClient Client { get; }

    internal CoapProxy Proxy { get; }

    /// <summary>What names resolve to; others do not exist.</summary>
    internal Dictionary<string, IPAddress[]> Names { get; } = [];

    /// <summary>The requests that came to the origin.</summary>
    internal List<CoapRequestContext> Asked { get; } = [];

    public async ValueTask DisposeAsync()
    {
        await Client.DisposeAsync();
        await ProxyServer.DisposeAsync();
        await Proxy.DisposeAsync();
        await Origin.DisposeAsync();
        foreach (IAsyncDisposable other in _others)
        {
            await other.DisposeAsync();
        }
    }

    internal void Configure(CoapEndpointOptions options)
    {
        options.TimeProvider = Clock;
        options.Pipeline.Random = new VirtualRandom(++_seed);
        options.Pipeline.Scheduler = new VirtualScheduler(Clock);
        options.Transports.ResolveHost = (name, _) => Names.TryGetValue(name, out IPAddress[]? addresses)
            ? Task.FromResult(addresses)
            : Task.FromException<IPAddress[]>(new SocketException((int)SocketError.HostNotFound));
    }

    internal CoapServer MakeServer(string address, Action<CoapEndpointOptions>? configure = null)
    {
        CoapEndpointOptions options = new();
        Configure(options);
        configure?.Invoke(options);
        CoapServer server = new(options);
        server.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address(address)));
        _others.Add(server);
        return server;
    }

    internal CoapClient MakeClient(string host, Action<CoapEndpointOptions>? configure = null)
    {
        CoapEndpointOptions options = new();
        Configure(options);
        configure?.Invoke(options);
        CoapClient client = new(options);
        client.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address($"{host}:{_port++}")));
        _others.Add(client);
        return client;
    }

    internal CoapProxy MakeProxy(CoapProxyOptions options, string host)
    {
        options.ConfigureClient ??= Configure;
        CoapProxy proxy = new(options);
        proxy.Client.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address($"{host}:{_port++}")));
        proxy.ConfiguredClient.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address($"{host}:{_port++}")));
        _others.Add(proxy);
        return proxy;
    }

    /// <summary>Has the origin answer everything.</summary>
    internal CoapRouteHandlerBuilder Answer(Func<CoapRequestContext, CoapResult> handler) => Origin.Routes.Map(
        "/{*path}",
        [CoapMethod.Get, CoapMethod.Post, CoapMethod.Put, CoapMethod.Delete, CoapMethod.Fetch, CoapMethod.Patch, CoapMethod.IPatch],
        (CoapRequestContext request) =>
        {
            Asked.Add(request);
            return handler(request);
        }).AllowForwarding().AllowAnyAccept();

    internal async Task StartAsync()
    {
        await Origin.StartAsync();
        await ProxyServer.StartAsync();
    }

    /// <summary>Has the client answer the proxy's challenge, so that later requests are sent on at once.</summary>
    internal async Task VerifyAsync()
    {
        // What is refused after the challenge, so that the origin hears nothing of it.
        CoapRequest refused = Ask(OriginUri);
        refused.Options.Add(65_002, []);
        await SendAsync(refused);
    }

    /// <summary>A request that asks the proxy for a URI by Proxy-Uri.</summary>
    internal static CoapRequest Ask(string target, CoapMethod method = CoapMethod.Get)
    {
        CoapRequest request = new(method, ProxyUri);
        request.Options.Add(new ProxyUriOption(target));
        return request;
    }

    internal Task<CoapResponse> SendAsync(CoapRequest request) => RunAsync(() => Client.SendAsync(request));

    /// <summary>Lets time pass, and whatever happens in it.</summary>
    internal Task PassAsync(TimeSpan time)
    {
        TimeSpan end = Clock.Elapsed + time;
        return Clock.AdvanceUntilAsync(() => Clock.Elapsed >= end, time + FromSeconds(1), time);
    }

    /// <summary>
    /// Ends what may have requests under way: those who wait for them go on as the clock does, so that nobody may just wait for the end.
    /// </summary>
    internal Task EndAsync(IAsyncDisposable one) => Clock.AdvanceUntilAsync(one.DisposeAsync().AsTask(), FromMinutes(10));

    internal Task<T> RunAsync<T>(Func<Task<T>> exchange, TimeSpan? max = null) =>
        Clock.AdvanceUntilAsync(exchange(), max ?? FromMinutes(10));
}
