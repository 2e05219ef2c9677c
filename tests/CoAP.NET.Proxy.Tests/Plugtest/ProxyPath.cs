using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Plugtest;

namespace CoAP.NET.Proxy.Tests.Plugtest;

/// <summary>A proxy between the client and the server of the plugtests.</summary>
/// <param name="name">Which one; see <see cref="All"/>.</param>
public sealed class ProxyPath(string name) : PlugtestPath
{
    private const string Address = "192.0.2.3";
    private const string Server = "coap://192.0.2.1";

    private readonly string _clientScheme = name.Contains("TCP to", Ordinal) ? "coap+tcp" : "coap";
    private readonly string _serverScheme = name.Contains("to TCP", Ordinal) ? "coap+tcp" : "coap";
    private readonly bool _isReverse = name.StartsWith("reverse", Ordinal);
    private CoapServer? _server;
    private CoapProxy? _proxy;

    /// <summary>The paths: how the client names its target, and what it and the server speak.</summary>
    public static IReadOnlyList<string> All { get; } =
    [
        "Proxy-Uri, UDP to UDP", "Proxy-Scheme, UDP to UDP", "reverse, UDP to UDP",
        "Proxy-Uri, UDP to TCP", "Proxy-Uri, TCP to UDP", "reverse, UDP to TCP", "reverse, TCP to UDP",
    ];

    public override long StageErrors => _server!.Counters[CoapCounter.StageErrors]
        + _proxy!.Client.Endpoint.Counters[CoapCounter.StageErrors]
        + _proxy.ConfiguredClient.Endpoint.Counters[CoapCounter.StageErrors];

    // It leaves some seconds after the last client.
    public override bool IsIdle => Counters.Observations == 0;

    internal CoapProxyCounters Counters => _proxy!.GetCounters();

    public override CoapTransport CreateClientTransport(InMemoryNetwork network, CoapAddress address) =>
        Create(network, _clientScheme, address);

    public override CoapTransport CreateServerTransport(InMemoryNetwork network, CoapAddress address) =>
        Create(network, _serverScheme, address);

    public override async Task StartAsync(PlugtestBench bench)
    {
        CoapProxyOptions options = new() { Identifier = "gw", ConfigureClient = endpoint => bench.Prepare(endpoint, 3) };
        options.Targets.AllowNetwork("192.0.2.1/32");
        _proxy = new CoapProxy(options);
        _proxy.Client.Endpoint.AddTransport(Create(bench.Network, _serverScheme, InMemoryNetwork.Address($"{Address}:40001")));
        _proxy.ConfiguredClient.Endpoint.AddTransport(Create(bench.Network, _serverScheme, InMemoryNetwork.Address($"{Address}:40002")));
        _server = new CoapServer(bench.Prepare(new CoapEndpointOptions(), 4));
        _server.Endpoint.AddTransport(Create(bench.Network, _clientScheme, InMemoryNetwork.Address($"{Address}:5683")));
        if (_isReverse)
        {
            _server.MapReverseProxy("/{*path}", ServerUri(Server), _proxy);

            // A server lists its own resources there unless it is told otherwise.
            _server.MapReverseProxy("/.well-known/core", ServerUri($"{Server}/.well-known/core"), _proxy);
        }
        else
        {
            _server.MapForwardProxy(_proxy);
        }

        await _server.StartAsync();
    }

    public override CoapRequest Through(CoapRequest request) => _isReverse
        ? request.WithUri(request.Uri!.ToString().Replace(Server, $"{_clientScheme}://{Address}", Ordinal))
        : request.WithUri(ServerUri(request.Uri!.ToString())).WithProxy(
            CoapUri.Parse($"{_clientScheme}://{Address}"),
            name.StartsWith("Proxy-Scheme", Ordinal));

    public override async ValueTask DisposeAsync()
    {
        await _server!.DisposeAsync();
        await _proxy!.DisposeAsync();
        await base.DisposeAsync();
    }

    private static CoapTransport Create(InMemoryNetwork network, string scheme, CoapAddress address) =>
        scheme == "coap" ? network.CreateTransport(address) : network.CreateTransport(scheme, address);

    private string ServerUri(string uri) =>
        uri.Replace(Server, Server.Replace("coap", _serverScheme, Ordinal), Ordinal);
}
