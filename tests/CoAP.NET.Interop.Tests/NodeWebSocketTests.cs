using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Interop.Tests;

/// <summary>
/// CoAP over WebSockets (RFC 8323 section 4) with node's ws, in both roles: the messages are bytes that were written by hand.
/// </summary>
[External(NodePeers.WebSocketProgram)]
public sealed class NodeWebSocketTests
{
    private const string OurCsm = "00e123100000202140";

    [Fact]
    public async Task The_Node_WebSocket_client_gets_a_response()
    {
        await using CoapServer coap = new();
        coap.MapGet("/sensors/temperature", () => CoapResults.Text("22.3 Cel"));
        await using WebApplication application = await ServeAsync(coap);
        PeerResult result = await NodePeers.RunWebSocketClientAsync(
            UrlOf(application), 3, "00e122048020", "010153b773656e736f72730b74656d706572617475726545753d43656c", "01e242");
        Assert.Equal(["open coap", OurCsm, "014553c0ff32322e332043656c", "01e342", "close 1000"], Lines(result));
    }

    [Fact]
    public async Task The_Node_WebSocket_client_sends_a_message_in_fragments()
    {
        await using CoapServer coap = new();
        coap.MapGet("/a", () => CoapResults.Text("b"));
        await using WebApplication application = await ServeAsync(coap);
        PeerResult result = await NodePeers.RunWebSocketClientAsync(UrlOf(application), 2, "00|e1", "01|01||53|b1|61");
        Assert.Equal(["open coap", OurCsm, "014553c0ff62", "close 1000"], Lines(result));
    }

    [Fact]
    public async Task The_Node_WebSocket_client_that_sends_text_gets_an_Abort_with_the_reason()
    {
        await using CoapServer coap = new();
        await using WebApplication application = await ServeAsync(coap);
        string[] lines = Lines(await NodePeers.RunWebSocketClientAsync(UrlOf(application), 100, "00e1", "text:hello"));
        Assert.Equal("close 1003", lines[^1]);
        lines[^2].Begins("00e5ff");
    }

    [Fact]
    public async Task The_Node_WebSocket_client_observes_a_resource()
    {
        int state = 0;
        await using CoapServer coap = new();
        CoapRouteHandlerBuilder route = coap.MapGet("/obs", () => CoapResults.Text($"{Interlocked.Increment(ref state)}")).Observable();
        await using WebApplication application = await ServeAsync(coap);
        Task<PeerResult> observing = NodePeers.RunWebSocketClientAsync(UrlOf(application), 3, "00e1", "01011060536f6273");
        await Eventually.IsTrueAsync(() => coap.ObserverCount > 0 || observing.IsCompleted);
        route.Notify();
        string[] lines = Lines(await observing);
        Assert.Equal(5, lines.Length);
        Assert.All(lines[2..4], line => Assert.StartsWith("014510", line, Ordinal));
        lines[3].Ends("ff32");
    }

    [Fact]
    public async Task Our_client_sends_requests_to_the_Node_WebSocket_server()
    {
        await using PeerProcess server = NodePeers.StartWebSocketServer();
        string uri = (await server.WaitForLineAsync(line => line.StartsWith("listening on ", Ordinal)))[
            "listening on ".Length..];
        await using CoapClient client = new();
        Assert.Equal("hello from ws", (await Within(client.GetAsync($"{uri}/hello"))).GetText());
        Assert.Equal(NodePeers.Large100, (await Within(client.GetAsync($"{uri}/large"))).Payload.ToArray());
        byte[] body = NodePeers.Large100[..50_000];
        Assert.Equal(body, (await Within(client.PostAsync($"{uri}/echo", CoapContent.Binary(body)))).Payload.ToArray());
        Assert.Equal(CoapCode.NotFound, (await Within(client.GetAsync($"{uri}/nowhere"))).Code);
        await Within(client.PingAsync(uri));
        await Assert.ThrowsAsync<CoapConnectionException>(() => Within(client.PostAsync($"{uri}/close", CoapContent.Text("x"))));

        // On another WebSocket, as the first one was closed.
        Assert.Equal("hello from ws", (await Within(client.GetAsync($"{uri}/hello"))).GetText());
        await server.WaitForLinesAsync(line => line.StartsWith("connected 127.0.0.1", Ordinal)
            && line.EndsWith(" coap", Ordinal), 2);
        await server.WaitForLinesAsync(line => line == OurCsm, 2);
        server.Output.Omits("a WebSocket P");
    }

    private static async Task<WebApplication> ServeAsync(CoapServer coap)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        WebApplication application = builder.Build();
        application.MapCoapWebSocket(coap);
        await application.StartAsync();
        return application;
    }

    private static string UrlOf(WebApplication application) =>
        application.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First()
            .Replace("http:", "ws:") + "/.well-known/coap";

    private static string[] Lines(PeerResult result) =>
        result.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
}
