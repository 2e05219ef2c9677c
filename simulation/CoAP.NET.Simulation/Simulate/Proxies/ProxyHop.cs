using CoAP.NET.Proxy;

namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>A proxy between clients and servers, or between proxies, with the server that it is mapped to.</summary>
/// <param name="index">Which one, counted from the clients.</param>
/// <param name="plan">How many there are, and how they ask each other.</param>
/// <param name="clock">The clock.</param>
/// <param name="plant">The planted defect; null for none.</param>
internal sealed class ProxyHop(int index, ProxyPlan plan, VirtualClock clock, string? plant)
{
    /// <summary>The port that a proxy asks from as a forward one.</summary>
    public const int ForwardPort = 50_000;

    /// <summary>The port that it asks from as a reverse one.</summary>
    public const int ReversePort = 50_001;

    private static readonly string[] s_schemes = ["coap", "coap+tcp", "coaps"];

    private CoapServer _server = null!;
    private CoapProxy _proxy = null!;

    public string Host { get; } = HostOf(index);

    public CoapProxyCounters Counters => _proxy.GetCounters();

    public int ObserverCount => _server.ObserverCount;

    public bool WasRestarted { get; private set; }

    public static string HostOf(int index) => $"[2001:db8:f::{index + 1}]";

    /// <summary>The scheme of a server.</summary>
    public static string SchemeOf(OriginScheme scheme) => s_schemes[(int)scheme];

    /// <summary>The path of a reverse proxy that stands for a server.</summary>
    public static string PrefixOf(int origin, OriginScheme scheme) =>
        $"{"ots"[(int)scheme]}{origin}";

    public async Task StartAsync(InMemoryNetwork network, Action<CoapEndpointOptions> configure, IReadOnlyList<ProxyOrigin> origins)
    {
        bool isLast = index == plan.Proxies - 1;
        string next = $"{(plan.Streams ? "coap+tcp" : "coap")}://{HostOf(index + 1)}";
        CoapProxyOptions options = new()
        {
            ConfigureClient = configure,

            // The one before asks for its clients, who came to it by a secured transport.
            AllowSecuredTargetsToAnyone = index > 0,
            NextProxy = isLast ? null : CoapUri.Parse(next),
            Identifier = $"p{index}",
        };
        options.Targets.AllowNetwork("2001:db8:1::/48").AllowNetwork("2001:db8:f::/48");
        _proxy = new CoapProxy(options);
        AddTransports(_proxy.Client, network, ForwardPort);
        AddTransports(_proxy.ConfiguredClient, network, ReversePort);
        CoapEndpointOptions endpoint = new();
        configure(endpoint);
        _server = new CoapServer(endpoint);
        _server.Routes.AllowInsecureTransport();
        if (index == 0 && plant is not null && ProxyPlants.All[plant].Filter?.Invoke() is { } filter)
        {
            _server.Routes.AddFilter(filter);
        }

        _server.MapForwardProxy(_proxy);
        if (index == 0)
        {
            _proxy.Use(new IdentityUpstreamClient(clock, dependsOnClient: plant != "shared-identity"));
            _server.MapReverseProxy("/who", "app://service/who", _proxy);
        }

        for (int i = 0; i < origins.Count; i++)
        {
            foreach (OriginScheme scheme in Enum.GetValues<OriginScheme>())
            {
                string prefix = PrefixOf(i, scheme);
                _server.MapReverseProxy(
                    $"/{prefix}/{{*path}}", isLast ? $"{SchemeOf(scheme)}://{origins[i].Host}/" : $"{next}/{prefix}/", _proxy);
            }
        }

        _server.Endpoint.AddTransport(network.CreateTransport("coap", InMemoryNetwork.Address($"{Host}:5683")));
        _server.Endpoint.AddTransport(network.CreateTransport("coap+tcp", InMemoryNetwork.Address($"{Host}:5683")));
        _server.Endpoint.AddTransport(
            network.CreateTransport("coaps", InMemoryNetwork.Address($"{Host}:5684"),
                CoapTestIdentity.From(new CoapNamedPeerIdentity("proxy"))));
        await _server.StartAsync();
    }

    /// <summary>Closes it, the server first.</summary>
    public IEnumerable<IAsyncDisposable> Close()
    {
        WasRestarted = true;
        return [_server, _proxy];
    }

    private void AddTransports(CoapClient client, InMemoryNetwork network, int port)
    {
        client.Endpoint.AddTransport(network.CreateTransport("coap", InMemoryNetwork.Address($"{Host}:{port}")));
        client.Endpoint.AddTransport(network.CreateTransport("coap+tcp", InMemoryNetwork.Address($"{Host}:{port}")));
        client.Endpoint.AddTransport(
            network.CreateTransport("coaps", InMemoryNetwork.Address($"{Host}:{port + 10}"),
                CoapTestIdentity.From(new CoapNamedPeerIdentity($"proxy {index}"))));
    }
}
