using System.Net;
using System.Net.WebSockets;
using CoAP.NET.Tests.Transports.WebSockets;

namespace CoAP.NET.Tests.Engines;

/// <summary>The WebSockets of the platform on both sides; a web server of a few lines opens those of the server.</summary>
internal class WebSocketTestEngine : SocketTestEngine
{
    private readonly WebServer _web = new();
    private Task _accepting = Task.CompletedTask;

    public override CoapServer MakeServer(CoapEndpointOptions options)
    {
        CoapServer server = new(options);
        server.Endpoint.ExpectConnections();
        return server;
    }

    public override async Task<string> StartAsync(CoapServer server)
    {
        await server.StartAsync();
        _accepting = AcceptAsync(server);
        return $"{Scheme}://127.0.0.1:{_web.Port}";
    }

    public override async ValueTask DisposeAsync()
    {
        _web.Dispose();
        await _accepting;
        await base.DisposeAsync();
    }

    protected override string Scheme => "coap+ws";

    protected override void ConfigureServer(CoapEndpointOptions options)
    {
    }

    private async Task AcceptAsync(CoapServer server)
    {
        int port = 40_000;
        List<Task> connections = [];
        try
        {
            while (true)
            {
                WebSocket webSocket = await _web.OpenAsync();
                connections.Add(server.Endpoint.AcceptWebSocketAsync(
                    webSocket,
                    new CoapAcceptedConnectionInfo
                    {
                        Remote = new IPEndPoint(IPAddress.Loopback, ++port),
                        Local = new IPEndPoint(IPAddress.Loopback, _web.Port)
                    }));
            }
        }
        catch (Exception exception)
            when (exception is System.Net.Sockets.SocketException or ObjectDisposedException or InvalidOperationException
                or TimeoutException)
        {
            // The listener was closed.
        }

        await Task.WhenAll(connections).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }
}
