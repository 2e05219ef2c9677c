using CoAP.NET.Diagnostics;
using CoAP.NET.Proxy;
using CoAP.NET.Tests.Plugtest;

namespace CoAP.NET.AspNetCore.Tests.Proxying;

/// <summary>
/// Both gateways between the client and the server of the plugtests: a CoAP server with an HTTP back end, which is a web application with
/// resources of a CoAP server. Whatever is asked becomes HTTP and CoAP again, and so does its answer.
/// </summary>
public sealed class HttpPath : PlugtestPath
{
    private const string Address = "192.0.2.3";
    private const string Server = "coap://192.0.2.1";

    private CoapServer? _server;
    private CoapProxy? _proxy;
    private CoapClient? _client;
    private WebApplication? _application;
    private HttpClient? _http;

    public override long StageErrors =>
        _server!.Counters[CoapCounter.StageErrors] + _client!.Endpoint.Counters[CoapCounter.StageErrors];

    public override async Task StartAsync(PlugtestBench bench)
    {
        _client = new CoapClient(bench.Prepare(new CoapEndpointOptions(), 3));
        _client.Endpoint.AddTransport(bench.Network.CreateTransport(InMemoryNetwork.Address($"{Address}:40001")));
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseTestServer();
        builder.Services.AddSingleton<TimeProvider>(bench.Clock);
        _application = builder.Build();
        _application.MapCoapResource("/{**path}", $"{Server}/{{path}}", resource => resource.Client = _client);
        await _application.StartAsync();
        _http = _application.GetTestClient();

        _proxy = new CoapProxy(new CoapProxyOptions { ConfigureClient = endpoint => bench.Prepare(endpoint, 4) });
        _proxy.UseHttp(http => (http.Client, http.TimeProvider) = (() => _http, bench.Clock));
        _server = new CoapServer(bench.Prepare(new CoapEndpointOptions(), 5));
        _server.Endpoint.AddTransport(bench.Network.CreateTransport(InMemoryNetwork.Address($"{Address}:5683")));
        _server.MapHttpBackend("/{*path}", "http://localhost", _proxy);
        _server.MapHttpBackend("/.well-known/core", "http://localhost/.well-known/core", _proxy);
        await _server.StartAsync();
    }

    public override CoapRequest Through(CoapRequest request) =>
        request.WithUri(request.Uri!.ToString().Replace(Server, $"coap://{Address}", Ordinal));

    public override async ValueTask DisposeAsync()
    {
        await _server!.DisposeAsync();
        await _proxy!.DisposeAsync();
        _http!.Dispose();
        await _application!.DisposeAsync();
        await _client!.DisposeAsync();
        await base.DisposeAsync();
    }
}
