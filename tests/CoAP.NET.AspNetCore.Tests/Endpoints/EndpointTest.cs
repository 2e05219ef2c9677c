namespace CoAP.NET.AspNetCore.Tests.Endpoints;

/// <summary>A web application in memory: its HTTP by a test server, its CoAP by a network in memory.</summary>
public abstract class EndpointTest : IAsyncDisposable
{
    internal const string Host = "[2001:db8::1]";

    /// <summary>Only what never ends is to meet it.</summary>
    protected static readonly TimeSpan Hang = FromMinutes(2);

    private readonly List<CoapClient> _clients = [];
    private readonly InMemoryNetwork _network = new(TimeProvider.System);

    private protected WebApplication Application { get; private set; } = null!;

    protected HttpClient Http { get; private set; } = null!;

    private protected CoapClient Coap { get; private set; } = null!;

    private protected CoapServer Server => Application.Services.GetRequiredService<CoapServer>();

    public async ValueTask DisposeAsync()
    {
        Http?.Dispose();
        foreach (CoapClient client in _clients)
        {
            await client.DisposeAsync();
        }

        if (Application is not null)
        {
            await Application.DisposeAsync();
        }

        GC.SuppressFinalize(this);
    }

    /// <summary>Starts the application.</summary>
    /// <param name="map">Maps what it serves.</param>
    /// <param name="services">What is in its container.</param>
    /// <param name="scheme">What its CoAP server is asked by.</param>
    /// <param name="configure">How endpoints are served over CoAP.</param>
    private protected async Task StartAsync(Action<WebApplication> map, Action<IServiceCollection>? services = null,
        string scheme = "coap", Action<CoapEndpointMappingOptions>? configure = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(["--hostBuilder:reloadConfigOnChange=false"]);
        builder.Logging.ClearProviders();
        builder.WebHost.UseTestServer();
        builder.Services.AddCoapServer(Listen(scheme));
        services?.Invoke(builder.Services);
        Application = builder.Build();
        Application.MapCoap(configure);
        map(Application);
        await Application.StartAsync().WaitAsync(Hang);
        Http = Application.GetTestClient();
        Coap = CreateClient(scheme);
    }

    /// <summary>What the CoAP server listens on.</summary>
    private protected Action<CoapServerOptions> Listen(string scheme) => options =>
        options.Transports.Add(_ => _network.CreateTransport(scheme, InMemoryNetwork.Address($"{Host}:5683")));

    /// <summary>A client in the same network.</summary>
    private protected CoapClient CreateClient(string scheme = "coap", CoapTestIdentity? identity = null)
    {
        CoapClient client = new();
        _clients.Add(client);
        CoapAddress local = InMemoryNetwork.Address($"[2001:db8:0:1::{_clients.Count}]:0");
        client.Endpoint.AddTransport(_network.CreateTransport(scheme, local, identity));
        return client;
    }

    internal Task<CoapResponse> AskAsync(CoapMethod method, string path, CoapContent? content = null,
        Action<CoapRequest>? change = null, CoapClient? client = null, string scheme = "coap")
    {
        CoapRequest request = new(method, $"{scheme}://{Host}:5683{path}") { Content = content };
        change?.Invoke(request);
        return (client ?? Coap).SendAsync(request).WaitAsync(Hang);
    }

    internal Task<CoapResponse> GetAsync(string path, Action<CoapRequest>? change = null) =>
        AskAsync(CoapMethod.Get, path, null, change);

    /// <summary>Why an application does not start that serves an endpoint over CoAP.</summary>
    private protected async Task<string> RefusalOfAsync(Action<WebApplication> map, Action<IServiceCollection>? services = null,
        Action<CoapEndpointMappingOptions>? configure = null) =>
        (await Assert.ThrowsAsync<InvalidOperationException>(() => StartAsync(map, services, configure: configure))).Message;
}
