using System.Collections.Concurrent;
using System.Net.WebSockets;
using System.Security.Claims;
using CoAP.NET.Hosting;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

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
    public async Task The_server_of_the_container_is_mapped_and_its_handlers_have_services()
    {
        await StartAsync(
            web => web.MapCoapWebSocket(),
            services: services =>
            {
                services.AddSingleton(new Sensor(21.5));
                services.AddCoapServer(static options => options.ListenByDefault = false)
                    .MapGet("/sensors/{name}", (string name, Sensor sensor) => $"{name}: {sensor.Celsius:0.0}");
            });

        CoapResponse response = await _client.GetAsync($"coap+ws://127.0.0.1:{Port}/sensors/hall").WaitAsync(Hang);

        Assert.Equal("hall: 21.5", response.GetText());
        // Nothing else was opened.
        Assert.Empty(Application!.Services.GetRequiredService<CoapServer>().LocalEndpoints);
    }

    [Fact]
    public async Task A_user_who_has_not_logged_in_gets_4_01_when_users_are_the_identities()
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
                web.MapCoapWebSocket(configure: static options => options.Identity = static context => context.User);
            },
            services: services => services.AddCoapServer(static options => options.ListenByDefault = false)
                .MapGet("/who", static request => CoapResults.Text($"{(request.Peer.Identity as ClaimsPrincipal)?.Identity?.Name}"))
                .RequireAuthorization());

        Assert.Equal(CoapCode.Unauthorized, (await _client.GetAsync($"coap+ws://127.0.0.1:{Port}/who").WaitAsync(Hang)).Code);
        using ClientWebSocket webSocket = await OpenAsync("/.well-known/coap?user=ann");
        await SendAsync(webSocket, "00e1");
        await SendAsync(webSocket, "0001b377686f");
        await ReceiveAsync(webSocket);
        Assert.EndsWith("ff616e6e", await ReceiveAsync(webSocket), StringComparison.Ordinal);
    }

    [Fact]
    public async Task One_server_is_asked_by_UDP_and_by_a_WebSocket()
    {
        await StartAsync(
            web => web.MapCoapWebSocket(),
            services: services =>
                services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"))
                    .MapGet("/transport", request => CoapResults.Text(request.Peer.Scheme)));
        string udp = Application!.Services.GetRequiredService<CoapServer>().LocalEndpoints[0];

        Assert.Equal("coap", (await _client.GetAsync(udp + "/transport").WaitAsync(Hang)).GetText());
        Assert.Equal("coap+ws", (await _client.GetAsync($"coap+ws://127.0.0.1:{Port}/transport").WaitAsync(Hang)).GetText());
    }

    [Fact]
    public async Task A_server_with_a_name_is_mapped_by_its_key()
    {
        await StartAsync(
            web => web.MapCoapWebSocket(web.Services.GetRequiredKeyedService<CoapServer>("indoor"), "/indoor"),
            services: services =>
                services.AddCoapServer("indoor", static options => options.ListenByDefault = false).MapGet("/name", () => "indoor"));
        CoapEndpointOptions options = new();
        options.WebSockets.Path = "/indoor";
        await using CoapClient client = new(options);

        Assert.Equal("indoor", (await client.GetAsync($"coap+ws://127.0.0.1:{Port}/name").WaitAsync(Hang)).GetText());
    }

    // Whether its own address is opened at the start is looked up, not tried: the port may be somebody else's here.
    [Fact]
    public async Task A_hosted_server_that_is_mapped_still_listens_where_it_would_have_without()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Services.AddCoapServer();
        builder.Services.AddCoapServer("indoor");
        builder.Services.AddCoapServer("web", static options => options.ListenByDefault = false);
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
    public async Task Where_WebSockets_are_served_is_logged()
    {
        Lines lines = new();
        await StartAsync(
            web => web.MapGroup("/api").MapCoapWebSocket(Coap, "coap"),
            services: services => services.AddSingleton<ILoggerProvider>(lines));

        Assert.Contains($"CoAP over WebSockets is served at /api/coap of http://127.0.0.1:{Port}.", lines.All);
    }

    private sealed class Lines : ILoggerProvider, ILogger
    {
        public ConcurrentQueue<string> All { get; } = new();

        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
            Func<TState, Exception?, string> formatter) => All.Enqueue(formatter(state, exception));

        public void Dispose()
        {
        }
    }

    internal sealed record Sensor(double Celsius);
}
