namespace CoAP.NET.AspNetCore.Tests;

/// <summary>Without any socket: users test their applications so.</summary>
public sealed class TestServerTests
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    [Fact]
    public async Task An_application_in_memory_serves_WebSockets()
    {
        await using CoapServer coap = new();
        coap.MapGet("/a", () => CoapResults.Text("b"));
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseTestServer();
        await using WebApplication application = builder.Build();
        application.MapCoapWebSocket(coap);
        await application.StartAsync();
        WebSocketClient client = application.GetTestServer().CreateWebSocketClient();
        client.SubProtocols.Add("coap");
        using WebSocket webSocket = await client.ConnectAsync(new Uri("ws://example.net/.well-known/coap"), CancellationToken.None)
            .WaitAsync(s_hang);
        Assert.Equal("coap", webSocket.SubProtocol);
        Assert.Equal("00e123100000202140", await ReceiveAsync(webSocket));
        await webSocket.SendAsync(Wire.Hex("00e1"), WebSocketMessageType.Binary, true, CancellationToken.None);
        await webSocket.SendAsync(Wire.Hex("010153b161"), WebSocketMessageType.Binary, true, CancellationToken.None);
        Assert.Equal("014553c0ff62", await ReceiveAsync(webSocket));
        await webSocket.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None).WaitAsync(s_hang);
    }

    private static async Task<string> ReceiveAsync(WebSocket webSocket)
    {
        byte[] buffer = new byte[1024];
        WebSocketReceiveResult result = await webSocket.ReceiveAsync(buffer, CancellationToken.None).WaitAsync(s_hang);
        Assert.True(result.EndOfMessage);
        return Wire.Hex(buffer.AsSpan(0, result.Count));
    }
}
