namespace CoAP.NET.Hosting.Tests.Filters;

/// <summary>
/// One hosted server on the loopback interface and a client that asks it. Routes are mapped on <see cref="Server"/> before the start.
/// </summary>
public abstract class ServedTest : HostTest, IAsyncLifetime
{
    private readonly List<CoapClient> _clients = [];
    private IHost? _host;

    protected ServedTest()
    {
        Application = Builder();
        Server = Application.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"));
    }

    protected HostApplicationBuilder Application { get; }

    protected IServiceCollection Services => Application.Services;

    protected ICoapServerBuilder Server { get; }

    protected async Task StartAsync() => _host = await StartAsync(Application);

    protected string Uri(string path, int endpoint = 0) =>
        _host!.Services.GetRequiredKeyedService<CoapServer>("").LocalEndpoints[endpoint].Origin() + path;

    protected T Get<T>()
        where T : notnull => _host!.Services.GetRequiredService<T>();

    /// <summary>A client of its own, so that nothing is known of earlier answers.</summary>
    protected CoapClient Client(CoapEndpointOptions? options = null)
    {
        CoapClient client = new(options ?? new CoapEndpointOptions { TooManyRequests = CoapTooManyRequestsBehavior.None });
        _clients.Add(client);
        return client;
    }

    protected Task<CoapResponse> AskAsync(string path, CoapMethod method = CoapMethod.Get, Action<CoapRequest>? more = null,
        CoapClient? client = null, int endpoint = 0)
    {
        CoapRequest request = new(method, Uri(path, endpoint));
        more?.Invoke(request);
        return Within((client ?? Client()).SendAsync(request));
    }

    public override async ValueTask DisposeAsync()
    {
        foreach (CoapClient client in _clients)
        {
            await client.DisposeAsync();
        }

        await base.DisposeAsync();
    }
}
