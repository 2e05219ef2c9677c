using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Tests.Observing;

/// <summary>Notifications over real sockets and the real clock: whoever tells of a change wakes the thread that receives.</summary>
public sealed class UdpObservingTests : IAsyncLifetime
{
    // The first datagram that comes back is the answer, also on a busy machine.
    private readonly CoapServer _server = new(new CoapEndpointOptions { Parameters = new() { PiggybackWindow = FromMinutes(2) } });
    private readonly Socket _observer = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
    private readonly Socket _other = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);

    public ValueTask InitializeAsync()
    {
        _observer.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _other.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _server.Listen("coap://127.0.0.1:0");
        return ValueTask.CompletedTask;
    }

    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        _observer.Dispose();
        _other.Dispose();
    }

    [Fact]
    [Rfc("7641-4.1-1")]
    public async Task A_change_reaches_an_observer_at_once()
    {
        int state = 0;
        CoapRouteHandlerBuilder route = _server.MapGet("/obs", () => CoapResults.Text($"{Volatile.Read(ref state)}")).Observable();
        await StartAsync();
        Assert.EndsWith("ff30", await AskAsync(_observer, "41017d344a60536f6273"));
        for (int i = 1; i < 10; i++)
        {
            Volatile.Write(ref state, i);
            route.Notify();
            string sent = await ReceiveAsync(_observer);
            Assert.EndsWith($"ff3{i}", sent);
            _observer.Send(Wire.Hex($"6000{sent[4..8]}"));
        }
    }

    [Fact]
    public async Task A_handler_that_blocks_during_a_notification_does_not_delay_other_peers()
    {
        using ManualResetEventSlim blocked = new();
        using ManualResetEventSlim goesOn = new();
        bool blocks = false;
        CoapRouteHandlerBuilder route = _server.MapGet("/obs", () =>
        {
            if (Volatile.Read(ref blocks))
            {
                blocked.Set();
                goesOn.Wait();
            }

            return CoapResults.Text("x");
        }).Observable();
        CoapRouteHandlerBuilder second = _server.MapGet("/two", () => CoapResults.Text("y")).Observable();
        await StartAsync();
        await AskAsync(_observer, "41017d344a60536f6273");
        await AskAsync(_other, "41017d344b605374776f");
        Volatile.Write(ref blocks, true);
        route.Notify();
        await Task.Factory.StartNew(blocked.Wait, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)
            .WaitAsync(FromMinutes(2));
        second.Notify();
        Assert.EndsWith("ff79", await ReceiveAsync(_other));
        goesOn.Set();
        Assert.EndsWith("ff78", await ReceiveAsync(_observer));
    }

    private async Task StartAsync()
    {
        await _server.StartAsync();
        IPEndPoint server = IPEndPoint.Parse(_server.LocalEndpoints[0].Origin()["coap://".Length..]);
        _observer.Connect(server);
        _other.Connect(server);
    }

    private static async Task<string> AskAsync(Socket socket, string hex)
    {
        socket.Send(Wire.Hex(hex));
        return await ReceiveAsync(socket);
    }

    private static async Task<string> ReceiveAsync(Socket socket)
    {
        byte[] buffer = new byte[2048];
        int length = await socket.ReceiveAsync(buffer).WaitAsync(FromMinutes(2));
        return Wire.Hex(buffer.AsSpan(0, length));
    }
}
