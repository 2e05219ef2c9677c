using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Hosting.Tests.Binding;

/// <summary>
/// A server on the loopback address with routes to bind, and a client. Requests have the services of a container, as a host would give
/// them.
/// </summary>
public sealed class BoundServer : IAsyncLifetime
{
    private readonly CoapClient _client = new();
    private CoapServer? _server;

    public ServiceProvider Services { get; } = new ServiceCollection()
        .AddSingleton<IDeviceStore, DeviceStore>()
        .AddKeyedSingleton<IDeviceStore>("spare", new DeviceStore { Name = "spare" })
        .ConfigureCoapJson(options => options.SerializerOptions.TypeInfoResolverChain.Insert(0, DeviceContext.Default))
        .BuildServiceProvider();

    public CoapServer Server => _server ?? throw new InvalidOperationException("Not started.");

    public long Refused => Server.Counters[CoapCounter.ArgumentsRefused];

    public static async Task<BoundServer> StartAsync(Action<CoapServer> map)
    {
        BoundServer bound = new();
        await bound.StartServerAsync(map);
        return bound;
    }

    public async ValueTask InitializeAsync() => await StartServerAsync(server =>
    {
        SourceRoutes.Map(server);
        new AnswerRoutes().Map(server);
    });

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await Server.DisposeAsync();
        await Services.DisposeAsync();
    }

    public async Task<CoapResponse> SendAsync(CoapMethod method, string path, CoapContent? content = null,
        Action<CoapRequest>? change = null)
    {
        CoapRequest request = new(method, Server.LocalEndpoints[0].Origin() + path) { Content = content };
        change?.Invoke(request);
        return await _client.SendAsync(request).WaitAsync(FromMinutes(2));
    }

    public Task<CoapResponse> GetAsync(string path, Action<CoapRequest>? change = null) => SendAsync(CoapMethod.Get, path, null, change);

    private async Task StartServerAsync(Action<CoapServer> map)
    {
        CoapEndpointOptions options = new();
        options.Pipeline.Insert(CoapStageLinks.ExchangesToResource, () => new TransformBlock<CoapExchange, CoapExchange>(exchange =>
        {
            exchange.Request.Services = Services;
            return exchange;
        }));
        _server = new CoapServer(options);
        map(_server);
        _server.Listen("coap://127.0.0.1:0");
        await _server.StartAsync();
    }
}
