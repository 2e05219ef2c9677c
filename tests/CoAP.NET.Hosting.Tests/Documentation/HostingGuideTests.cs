using System.Net.Security;
using CoAP.NET.Edhoc;

namespace CoAP.NET.Hosting.Tests.Documentation;

/// <summary>The snippets of docs/hosting.md, so that they compile and do what the page says.</summary>
public sealed class HostingGuideTests : HostTest
{
    [Fact]
    public async Task The_snippets_about_servers_work()
    {
        HostApplicationBuilder builder = Builder(("Coap:Servers:admin:Endpoints", "coap://127.0.0.1:0"),
            ("Gateway:Coap:Endpoints", "coap://127.0.0.1:0"), ("Coap:Servers:meters:Endpoints", "coap://127.0.0.1:0"),
            ("Coap:Clients:meter:Dtls:PskIdentity", "meter-7"), ("Coap:Clients:meter:Dtls:PskKey", "words of a key"));

        builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0").Limits.Requests.MaxServed = 500)
            .MapGet("/hello/{name}", request => $"hello {request.Route["name"]}");

        builder.Services.AddCoapServer("admin").MapGet("/version", () => "1.0");

        builder.Services.AddCoapServer("gateway", builder.Configuration.GetSection("Gateway:Coap"));

        builder.Services.AddCoapServer("certified").Configure((options, services) =>
            options.Endpoint.Tls = new CoapTlsOptions { SelectServer = services.GetRequiredService<CertificateStore>().SelectAsync });
        builder.Services.AddSingleton<CertificateStore>()
            .Configure<CoapServerOptions>("certified", options => options.Listen("coaps+tcp://127.0.0.1:0"));

        builder.Services.AddCoapServer("devices").Configure((options, services) =>
            options.Endpoint.UseDtls(
                new CoapDtlsOptions { Server = new CoapDtlsServerOptions { PskStore = services.GetRequiredService<DeviceKeys>() } }));
        builder.Services.AddCoapServer("meters").UseDtls();
        builder.Services.AddCoapClient("meter").UseDtls();
        builder.Services.AddCoapServer("protected").UseOscore(
            services => services.GetRequiredService<DeviceContexts>());
        builder.Services.AddSingleton<DeviceContexts>()
            .Configure<CoapServerOptions>("protected", options => options.Listen("coap://127.0.0.1:0"));
        builder.Services.AddSingleton<DeviceKeys>()
            .Configure<CoapServerOptions>("devices", options => options.Listen("coaps://127.0.0.1:0"));

        builder.Services.AddCoapServer("doors").UseEdhoc((options, services) =>
        {
            options.Credentials.Add(services.GetRequiredService<DoorCredentials>().Own);
            options.Trust = services.GetRequiredService<DoorCredentials>();
        });
        builder.Services.AddCoapClient("door").UseEdhoc(
            (options, services) => services.GetRequiredService<EdhocCredentialFile>().ApplyTo(options));
        using EdhocCredentialFiles files = new();
        builder.Services.AddSingleton(EdhocCredentialFile.Read(files.Client))
            .AddSingleton(new DoorCredentials(EdhocCredentialFile.Read(files.Server)))
            .Configure<CoapServerOptions>("doors", options => options.Listen("coap://127.0.0.1:0"))
            .AddOptions<CoapClientOptions>("door").Configure(options => options.BaseAddress = new CoapUri("coap://127.0.0.1:9"));

        builder.Services.AddSingleton<Doorbell>();
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();
        await Within(client.GetAsync($"{AddressOf(host)}/hello/you")).Says("hello you");
        await Within(client.GetAsync($"{AddressOf(host, "admin")}/version")).Says("1.0");
        await Within(client.GetAsync($"{AddressOf(host, "gateway")}/version")).Gives(CoapCode.NotFound);
        await using CoapClient device = new(new CoapEndpointOptions()
            .UseDtls(new CoapDtlsOptions
            {
                Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential("meter-7", DeviceKeys.Key.Span) }
            }));
        await Within(device.GetAsync($"{AddressOf(host, "devices")}/version")).Gives(CoapCode.NotFound);
        host.Services.GetRequiredService<Doorbell>().Ring();
        host.Services.GetRequiredService<IOptionsMonitor<CoapClientOptions>>().Get("door").BaseAddress =
            new CoapUri(AddressOf(host, "doors"));
        ICoapClient door = host.Services.GetRequiredKeyedService<ICoapClient>("door");
        await Within(door.GetAsync("/door")).Gives(CoapCode.NotFound);
        Assert.Equal(1, host.Services.GetRequiredKeyedService<EdhocServer>("doors").GetCounters().Established);
    }

    [Fact]
    public async Task The_snippets_about_directories_work()
    {
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints", "coap://127.0.0.1:0"));
        builder.Services.AddCoapServer(options => options.Endpoint.Transports.ResolveHost = (_, _) => Task.FromResult<IPAddress[]>([]));

        builder.Services.AddCoapServer().RegisterWith("coap://rd.example", options => options.EndpointName = "room-7");

        IHost host = await StartAsync(builder);
        CoapRegistration registration = Assert.Single(host.Services.GetCoapRegistrations());
        await Eventually.IsTrueAsync(() => registration.Status.Error is CoapException { Error: CoapError.NameResolution });
    }

    [Fact]
    public async Task The_snippets_about_proxies_work()
    {
        HostApplicationBuilder builder = Builder(
            ("Coap:Server:Endpoints", "coap://127.0.0.1:0"), ("Coap:Servers:field:Endpoints", "coap://127.0.0.1:0"),
            ("Coap:Proxy:Routes:0:Path", "/telemetry/{*path}"), ("Coap:Proxy:Routes:0:Target", "http://127.0.0.1:1/"));
        builder.Services.AddSingleton<BackendClients>();

        builder.Services.AddCoapServer().AddCoapProxy(options => options.ConfigureHttp = (http, services) =>
            http.Client = services.GetRequiredService<BackendClients>().Make);
        builder.Services.AddCoapServer("field").AddCoapProxy();

        IHost host = await StartAsync(builder);
        await using CoapClient client = new();
        await Within(client.GetAsync($"{AddressOf(host)}/telemetry/1")).Gives(CoapCode.BadGateway);
        Assert.NotSame(host.Services.GetRequiredService<CoapProxy>(), host.Services.GetRequiredKeyedService<CoapProxy>("field"));
    }

    [Fact]
    public async Task The_snippets_about_clients_and_health_work()
    {
        await using CoapServer device = new();
        device.MapGet("/state", () => "on");
        await device.Listen("coap://127.0.0.1:0").StartAsync();
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints", "coap://127.0.0.1:0"));
        builder.Services.AddCoapServer();
        builder.Services.AddSingleton(TimeProvider.System);
        string address = device.LocalEndpoints[0].Origin();

        builder.Services.AddCoapClient("lamp", options =>
        {
            options.BaseAddress = new CoapUri(address);
            options.Timeout = TimeSpan.FromSeconds(10);
            options.Endpoint.TooManyRequests = CoapTooManyRequestsBehavior.Wait;
        })
            .UseServer()
            .AddHandler<SlowRequests>();

        builder.Services.AddHealthChecks()
            .AddCoapServer()
            .AddCoapPing(address, name: "lamp", failureStatus: HealthStatus.Degraded);

        IHost host = await StartAsync(builder);
        ICoapClient lamp = host.Services.GetRequiredKeyedService<ICoapClient>("lamp");
        CoapResponse state = await Within(lamp.GetAsync("/state"));
        Assert.Equal("on", state.GetText());
        HealthReport report = await Within(host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync());
        Assert.Equal(HealthStatus.Healthy, report.Status);
        Assert.Equal(["coap-server", "lamp"], report.Entries.Keys.Order());
    }

    internal sealed class Doorbell(CoapServer server)
    {
        public void Ring() => server.Notify("/bell");
    }

    internal sealed class DeviceContexts : IOscoreContextResolver
    {
        public ValueTask<OscoreContext?> FindAsync(
            ReadOnlyMemory<byte> kid, ReadOnlyMemory<byte>? idContext, CancellationToken cancellationToken) => default;
    }

    internal sealed class DoorCredentials(EdhocCredentialFile file) : IEdhocCredentialResolver
    {
        public EdhocOwnCredential Own => file.Own[0];

        public ValueTask<IReadOnlyList<EdhocCredential>> FindAsync(EdhocClaimedPeerIdentity claim, CancellationToken cancellationToken) =>
            file.Trust.FindAsync(claim, cancellationToken);
    }

    internal sealed class DeviceKeys : ICoapPskStore
    {
        public static ReadOnlyMemory<byte> Key { get; } = new byte[] { 1, 2, 3, 4, 5, 6, 7, 8 };

        public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken) =>
            new(identity == "meter-7" ? Key : default);
    }

    internal sealed class CertificateStore
    {
        public ValueTask<SslServerAuthenticationOptions> SelectAsync(SslStream stream, SslClientHelloInfo hello, object? state,
            CancellationToken cancellationToken) =>
                throw new InvalidOperationException($"{hello.ServerName} is not asked for here.");
    }

    internal sealed class SlowRequests(TimeProvider time, ILogger<SlowRequests> logger) : ICoapClientHandler
    {
        public async Task<CoapResponse> SendAsync(
            CoapRequest request, Func<CoapRequest, CancellationToken, Task<CoapResponse>> next, CancellationToken cancellationToken)
        {
            long started = time.GetTimestamp();
            CoapResponse response = await next(request, cancellationToken);
            if (time.GetElapsedTime(started) > TimeSpan.FromSeconds(1))
            {
                logger.LogWarning("{Request} took long.", request);
            }

            return response;
        }
    }

    private sealed class BackendClients : IDisposable
    {
        private readonly HttpClient _client = new();

        public HttpClient Make() => _client;

        public void Dispose() => _client.Dispose();
    }
}
