using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

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
                services.AddCoapServer().MapGet("/sensors/{name}", (string name, Sensor sensor) => $"{name}: {sensor.Celsius:0.0}");
            });

        CoapResponse response = await _client.GetAsync($"coap+ws://127.0.0.1:{Port}/sensors/hall").WaitAsync(Hang);

        Assert.Equal("hall: 21.5", response.GetText());
        // Nothing else was opened: whoever maps a server says where it is.
        Assert.Empty(Application!.Services.GetRequiredService<CoapServer>().LocalEndpoints);
    }

    [Fact]
    public async Task One_server_is_asked_by_UDP_and_by_a_WebSocket()
    {
        await StartAsync(
            web => web.MapCoapWebSocket(),
            services: services => services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0")).MapGet("/transport", request => CoapResults.Text(request.Peer.Scheme)));
        string udp = Application!.Services.GetRequiredService<CoapServer>().LocalEndpoints[0];

        Assert.Equal("coap", (await _client.GetAsync(udp + "/transport").WaitAsync(Hang)).GetText());
        Assert.Equal("coap+ws", (await _client.GetAsync($"coap+ws://127.0.0.1:{Port}/transport").WaitAsync(Hang)).GetText());
    }

    [Fact]
    public async Task A_server_with_a_name_is_mapped_by_its_key()
    {
        await StartAsync(
            web => web.MapCoapWebSocket(web.Services.GetRequiredKeyedService<CoapServer>("indoor"), "/indoor"),
            services: services => services.AddCoapServer("indoor").MapGet("/name", () => "indoor"));
        CoapEndpointOptions options = new();
        options.WebSockets.Path = "/indoor";
        await using CoapClient client = new(options);

        Assert.Equal("indoor", (await client.GetAsync($"coap+ws://127.0.0.1:{Port}/name").WaitAsync(Hang)).GetText());
    }

    internal sealed record Sensor(double Celsius);
}
