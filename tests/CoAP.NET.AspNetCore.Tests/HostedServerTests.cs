namespace CoAP.NET.AspNetCore.Tests;

/// <summary>A server that AddCoapServer made, behind the web application of the same host.</summary>
public sealed class HostedServerTests : WebTest
{
    private readonly CoapClient _client = new();

    public override async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await base.DisposeAsync();
    }

    [Fact]
    public async Task A_user_who_is_not_authenticated_gets_4_01_when_users_are_the_identities()
    {
        await StartAsync(
            web =>
            {
                web.Use((context, next) =>
                {
                    if (context.Request.Query["user"] is [{ } name])
                    {
                        context.User = new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.Name, name)], "test"));
                    }

                    return next();
                });
                web.UseRouting();
                web.MapCoapWebSocket(configure: options => options.Identity = context => new CoapUserPeerIdentity(context.User));
            },
            services: services => services.AddCoapServer(options => options.ListenByDefault = false)
                .MapGet("/who", request => CoapResults.Text($"{(request.Peer.Identity as CoapUserPeerIdentity)?.User.Identity?.Name}"))
                .RequireAuthorization());

        await _client.GetAsync($"coap+ws://127.0.0.1:{Port}/who").WaitAsync(Hang).Gives(CoapCode.Unauthorized);
        using ClientWebSocket webSocket = await OpenAsync("/.well-known/coap?user=ann");
        await SendAsync(webSocket, "00e1");
        await SendAsync(webSocket, "0001b377686f");
        await ReceiveAsync(webSocket);
        (await ReceiveAsync(webSocket)).Ends("ff616e6e");
    }

    // Whether its own address is opened at the start is looked up, not tried: the port may be somebody else's here.
    [Fact]
    public async Task A_hosted_server_that_is_mapped_still_listens_on_its_own_addresses()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Services.AddCoapServer();
        builder.Services.AddCoapServer("indoor");
        builder.Services.AddCoapServer("web", options => options.ListenByDefault = false);
        await using WebApplication application = builder.Build();
        CoapServer indoor = application.Services.GetRequiredKeyedService<CoapServer>("indoor");
        CoapServer web = application.Services.GetRequiredKeyedService<CoapServer>("web");
        application.MapCoapWebSocket();
        application.MapCoapWebSocket(indoor, "/indoor");
        application.MapCoapWebSocket(indoor.Endpoint, "/inside");
        application.MapCoapWebSocket(web, "/web");
        application.MapCoapWebSocket(Coap, "/own");

        Assert.True(BindsDefault(application.Services.GetRequiredService<CoapServer>()));
        Assert.True(BindsDefault(indoor));
        Assert.False(BindsDefault(web));
        Assert.False(BindsDefault(Coap));

        static bool BindsDefault(CoapServer server) => !server.Endpoint.Core.Transports.HasAny;
    }

    [Fact]
    public async Task The_URL_that_serves_WebSockets_is_logged()
    {
        Lines lines = new();
        await StartAsync(
            web => web.MapGroup("/api").MapCoapWebSocket(Coap, "coap"),
            services: services => services.AddSingleton<ILoggerProvider>(lines));

        Assert.Contains($"CoAP over WebSockets is served at /api/coap of http://127.0.0.1:{Port}.", lines.All);
    }

    private sealed class Lines : TestLogger
    {
        public ConcurrentQueue<string> All { get; } = new();

        protected override void Write(LogLevel level, EventId id, string text, Exception? exception) => All.Enqueue(text);
    }
}
