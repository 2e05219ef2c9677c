using CoAP.NET.Endpoints;
using CoAP.NET.Errors;
using CoAP.NET.Hosting.Clients;
using CoAP.NET.Resources;

namespace CoAP.NET.Hosting.Tests.Clients;

/// <summary>Clients that an application has by name or by type.</summary>
public sealed class HostedClientTests : HostTest
{
    [Fact]
    public async Task A_typed_client_uses_relative_URIs_and_services()
    {
        await using CoapServer server = await ServerAsync();
        HostApplicationBuilder builder = Builder(("Coap:Clients:Thermometer:BaseAddress", $"{server.LocalEndpoints[0]}rooms/"));
        builder.Services.AddSingleton(new TicketOffice());
        builder.Services.AddCoapClient<Thermometer>();
        IHost host = await StartAsync(builder);

        Thermometer thermometer = host.Services.GetRequiredService<Thermometer>();
        Assert.Equal("GET /rooms/7", await Within(thermometer.ReadAsync("7")));
        Assert.Equal("GET /hall", await Within(thermometer.ReadAsync("/hall")));
        Assert.True(await Within(host.Services.GetRequiredKeyedService<CoapClient>("Thermometer").PingAsync()) >= TimeSpan.Zero);
        Assert.NotNull(thermometer.Office);
        Assert.NotSame(thermometer, host.Services.GetRequiredService<Thermometer>());
        Assert.Same(thermometer.Client, host.Services.GetRequiredService<Thermometer>().Client);
    }

    [Fact]
    public async Task Clients_are_resolved_by_interface_with_and_without_a_name()
    {
        await using CoapServer server = await ServerAsync();
        HostApplicationBuilder builder = Builder();
        builder.Services.AddSingleton(new TicketOffice());
        builder.Services.AddCoapClient(options => options.BaseAddress = new CoapUri($"{server.LocalEndpoints[0]}none/"));
        builder.Services.AddCoapClient("named", options => options.BaseAddress = new CoapUri($"{server.LocalEndpoints[0]}named/"));
        builder.Services.AddCoapClient<IThermometer, Thermometer>("thermometer",
            options => options.BaseAddress = new CoapUri($"{server.LocalEndpoints[0]}typed/"));
        IHost host = await StartAsync(builder);
        ClientFactory factory = host.Services.GetRequiredService<ClientFactory>();

        await Within(host.Services.GetRequiredService<ICoapClient>().GetAsync("x")).Says("GET /none/x");
        await Within(host.Services.GetRequiredService<CoapClient>().GetAsync("y")).Says("GET /none/y");
        await Within(host.Services.GetRequiredKeyedService<ICoapClient>("named").GetAsync("x")).Says("GET /named/x");
        Assert.Equal("GET /typed/x", await Within(host.Services.GetRequiredService<IThermometer>().ReadAsync("x")));
        Assert.Same(factory.GetClient("named"), host.Services.GetRequiredKeyedService<ICoapClient>("named"));
        Assert.Same(((IEndpointClient)factory.GetClient()).Endpoint, host.Services.GetRequiredService<CoapClient>().Endpoint);
        await Within(factory.GetClient("named").GetAsync($"{server.LocalEndpoints[0]}elsewhere")).Says("GET /elsewhere");
    }

    [Fact]
    public async Task TLS_certificates_of_a_client_come_from_code_or_files_but_not_from_both()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddCoapClient("code", options => options.Endpoint.Tls = new CoapTlsOptions());
        Assert.NotNull((await StartAsync(builder)).Services.GetRequiredService<ClientFactory>().GetClient("code"));

        builder = Builder(("Coap:Clients:both:Tls:Certificate", "own.pem"));
        builder.Services.AddCoapClient("both", options => options.Endpoint.Tls = new CoapTlsOptions());
        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(() => StartAsync(builder));
        refused.Mentions("Coap:Clients:both:Tls and Endpoint.Tls are both set.");
    }

    [Fact]
    public async Task The_error_for_an_unknown_or_invalid_client_says_what_to_do()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddCoapClient("plain");
        builder.Services.AddCoapClient<NoClient>();
        IHost host = await StartAsync(builder);
        ClientFactory factory = host.Services.GetRequiredService<ClientFactory>();

        ArgumentException relative = await Assert.ThrowsAsync<ArgumentException>(() => factory.GetClient("plain").GetAsync("/x"));
        relative.Message.Begins("'/x' is relative, and the client has no base address.");
        ArgumentException unknown = Assert.Throws<ArgumentException>(() => factory.GetClient("plane"));
        unknown.Message.Begins("No client was added by the name 'plane'. Known are: 'plain', 'NoClient'.");
        InvalidOperationException untyped = Assert.Throws<InvalidOperationException>(() => host.Services.GetRequiredService<NoClient>());
        untyped.Mentions("needs a public constructor with a parameter of the type ICoapClient");
    }

    [Fact]
    public async Task Common_request_settings_are_applied_to_a_copy_and_do_not_override_those_of_the_request()
    {
        List<(CoapRequestContext Request, bool IsConfirmable)> received = [];
        await using CoapServer server = new();
        server.MapPut("/{*path}", request =>
        {
            lock (received)
            {
                received.Add((request, request.Confirmable));
            }

            return CoapResults.Changed();
        });
        await server.Listen("coap://127.0.0.1:0").StartAsync();
        HostApplicationBuilder builder = Builder(("Coap:Client:Accept", "50"), ("Coap:Client:Confirmable", "false"),
            ("Coap:Client:Timeout", "20s"));
        builder.Services.AddCoapClient(options =>
        {
            options.BaseAddress = server.LocalEndpoints[0];
            options.ConfigureRequest = request =>
            {
                Assert.Equal(request.Accept == CoapContentFormat.Json ? FromSeconds(20) : FromSeconds(25),
                    request.Timeout);
                request.Options.Add(new CoAP.NET.UriQueryOption("key=1"));
            };
        });
        ICoapClient client = (await StartAsync(builder)).Services.GetRequiredService<ICoapClient>();
        CoapRequest plain = new(CoapMethod.Put, "/a") { Content = CoapContent.Text("state") };
        CoapRequest own = new(CoapMethod.Put, "/b") { Accept = CoapContentFormat.Cbor, Timeout = FromSeconds(25) };
        await Within(client.SendAsync(plain));
        await Within(client.SendAsync(own));

        Assert.Equal(CoapContentFormat.Json, received[0].Request.Accept);
        Assert.Equal(("state", CoapContentFormat.TextPlain), (received[0].Request.GetText(), received[0].Request.ContentFormat));
        Assert.Equal(CoapContentFormat.Cbor, received[1].Request.Accept);
        Assert.All(received, one => Assert.False(one.IsConfirmable));
        Assert.All(received, one => Assert.Equal("key=1", one.Request.Options.GetAll<CoAP.NET.UriQueryOption>().Single().Value));
        Assert.True(plain.Confirmable);
        Assert.Null(plain.Accept);
        Assert.Null(plain.Timeout);
        Assert.Equal(new CoapUri("/a"), plain.Uri);
    }

    [Fact]
    public async Task Requests_and_observations_go_through_the_proxy_and_handlers_see_their_targets()
    {
        List<string> asked = [];
        await using CoapServer proxy = new();
        proxy.MapProxy(new CoapProxyNames(), (request, _) =>
        {
            lock (asked)
            {
                asked.Add(string.Join('|', request.Options.ProxyUri, request.Options.UriQuery.Count));
            }

            return ValueTask.FromResult(CoapResults.Text("there"));
        });
        await proxy.Listen("coap://127.0.0.1:0").StartAsync();
        List<string> seen = [];
        HostApplicationBuilder builder = Builder(("Coap:Client:Proxy", proxy.LocalEndpoints[0].Origin()),
            ("Coap:Client:BaseAddress", "coap://lamp.example/"));
        builder.Services.AddSingleton(seen);
        builder.Services.AddCoapClient().AddHandler<Outer>().AddHandler<Inner>();
        IHost host = await StartAsync(builder);

        await Within(host.Services.GetRequiredService<ICoapClient>().GetAsync("a")).Says("there");
        await using CoapObservation observation = await Within(host.Services.GetRequiredService<ICoapClient>().ObserveAsync("b"));
        await Within(host.Services.GetRequiredService<CoapClient>().GetAsync("c")).Says("there");
        Assert.Equal(["coap://lamp.example/a?inner|0", "coap://lamp.example/b|0", "coap://lamp.example/c|0"], asked);
        Assert.Equal("> coap://lamp.example/a", seen[0]);
        Assert.Throws<InvalidOperationException>(() => host.Services.GetRequiredService<ICoapClient>()
            .GetFromGroupAsync("coap://224.0.1.187/x"));
    }

    [Fact]
    public async Task Handlers_process_requests_and_responses_from_the_outermost_to_the_innermost()
    {
        await using CoapServer server = await ServerAsync();
        List<string> seen = [];
        HostApplicationBuilder builder = Builder();
        builder.Services.AddSingleton(seen);
        builder.Services.AddCoapClient(options => options.BaseAddress = server.LocalEndpoints[0])
            .AddHandler<Outer>().AddHandler<Inner>();
        ICoapClient client = (await StartAsync(builder)).Services.GetRequiredService<ICoapClient>();
        CoapRequest request = new(CoapMethod.Get, "/x");

        await Within(client.SendAsync(request)).Says("GET /x?inner");
        await Within(client.SendAsync(request)).Says("GET /x?inner");
        Assert.Equal([$"> {server.LocalEndpoints[0]}x", "< 2.05 Content", $"> {server.LocalEndpoints[0]}x", "< 2.05 Content"], seen);
    }

    [Fact]
    public async Task A_client_on_a_servers_endpoint_sends_from_the_servers_port()
    {
        await using CoapServer other = new();
        other.MapGet("/port", request => $"{request.Peer.Address.Port}");
        await other.Listen("coap://127.0.0.1:0").StartAsync();
        HostApplicationBuilder builder = Builder(("Coap:Servers:main:Endpoints", "coap://127.0.0.1:0"));
        builder.Services.AddCoapServer("main");
        builder.Services.AddCoapClient("back", options => options.BaseAddress = other.LocalEndpoints[0]).UseServer("main");
        IHost host = await StartAsync(builder);

        string port = (await Within(host.Services.GetRequiredKeyedService<ICoapClient>("back").GetAsync("/port"))).GetText();
        Assert.Equal($"{CoapUri.Parse(AddressOf(host, "main")).Port}", port);
    }

    [Fact]
    public async Task Pings_without_a_timeout_use_the_timeout_of_the_client()
    {
        using Socket silent = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        silent.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        HostApplicationBuilder builder = Builder(("Coap:Client:BaseAddress", $"coap://{silent.LocalEndPoint}"),
            ("Coap:Client:Timeout", "90ms"));
        builder.Services.AddCoapClient();
        CoapClient client = (await StartAsync(builder)).Services.GetRequiredService<CoapClient>();

        CoapTimeoutException common = await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(client.PingAsync()));
        CoapTimeoutException own =
            await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(client.PingAsync(timeout: FromMilliseconds(70))));

        Assert.Equal((CoapTimeLimitKind.RequestTimeout, FromMilliseconds(90)), (common.EndedBy, common.Limit));
        Assert.Equal((CoapTimeLimitKind.RequestTimeout, FromMilliseconds(70)), (own.EndedBy, own.Limit));
    }

    [Fact]
    public async Task Clients_are_closed_with_the_host()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddCoapClient();
        IHost host = await StartAsync(builder);
        CoapEndpoint endpoint = host.Services.GetRequiredService<CoapClient>().Endpoint;
        ClientFactory factory = host.Services.GetRequiredService<ClientFactory>();
        host.Dispose();

        await Within(endpoint.Completion);
        Assert.Throws<ObjectDisposedException>(() => factory.GetClient());
    }

    private static async Task<CoapServer> ServerAsync()
    {
        CoapServer server = new();
        server.MapGet("/{*path}",
            request => $"GET {request.Path}{string.Concat(request.Options.GetAll<CoAP.NET.UriQueryOption>().Select(query => $"?{query.Value}"))}").Observable();
        await server.Listen("coap://127.0.0.1:0").StartAsync();
        return server;
    }

    internal interface IThermometer
    {
        Task<string> ReadAsync(string room);
    }

    internal sealed class Thermometer(ICoapClient client, TicketOffice office) : IThermometer
    {
        public ICoapClient Client => client;

        public TicketOffice Office => office;

        public async Task<string> ReadAsync(string room) => (await client.GetAsync(room)).EnsureSuccess().GetText();
    }

    internal sealed class NoClient(TicketOffice office)
    {
        public TicketOffice Office => office;
    }

    internal sealed class Outer(List<string> seen) : ICoapClientHandler
    {
        public async Task<CoapResponse> SendAsync(
            CoapRequest request, Func<CoapRequest, CancellationToken, Task<CoapResponse>> next, CancellationToken cancellationToken)
        {
            seen.Add($"> {request.Uri}");
            CoapResponse response = await next(request, cancellationToken);
            seen.Add($"< {response.Code}");
            return response;
        }
    }

    internal sealed class Inner : ICoapClientHandler
    {
        public Task<CoapResponse> SendAsync(
            CoapRequest request, Func<CoapRequest, CancellationToken, Task<CoapResponse>> next, CancellationToken cancellationToken)
        {
            request.Options.Add(new CoAP.NET.UriQueryOption("inner"));
            return next(request, cancellationToken);
        }
    }
}
