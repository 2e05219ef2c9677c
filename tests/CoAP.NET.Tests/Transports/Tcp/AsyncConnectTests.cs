using System.Net;
using System.Net.Sockets;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Transports.Tcp;

// Connections that we open.
public class AsyncConnectTests : AsyncTest
{
    [Fact]
    public async Task A_connection_that_ConnectAsync_opens_carries_frames_in_both_directions()
    {
        using Socket listener = Listener();
        await StartAsync();
        CoapConnection connection =
            await Within(Transport.ConnectAsync(AddressOf(listener), "name.example", CancellationToken.None).AsTask());
        Socket accepted = await Within(listener.AcceptAsync());
        await using AsyncPeer peer = new(accepted, new NetworkStream(accepted, ownsSocket: true));

        Assert.Same(connection, await Context.NextOpenedAsync());
        Assert.True(connection.IsInitiator);
        Assert.Equal(AddressOf(listener), connection.Remote);
        connection.Send(AsyncContext.Frame("00e1"));
        await peer.ExpectAsync("00e1");
        await peer.SendAsync("0145aa");
        Assert.Equal("0145aa", await Context.NextFrameAsync());
    }

    [Fact]
    public async Task ConnectAsync_to_a_port_without_a_listener_fails_with_ConnectFailed()
    {
        using Socket listener = Listener(listens: false);
        await StartAsync();

        CoapConnectionException exception = await Assert.ThrowsAsync<CoapConnectionException>(
            () => Within(Transport.ConnectAsync(AddressOf(listener), null, CancellationToken.None).AsTask()));

        Assert.Equal(CoapError.ConnectFailed, exception.Error);
        exception.Mentions("No server listens there");
        Assert.Equal(1, Context.Counters[CoapCounter.ConnectionsFailed]);
    }

    [Fact]
    public async Task ConnectAsync_fails_after_ConnectTimeout()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs a full backlog that drops connections, as on Linux");
        using Socket listener = Listener(backlog: 0);
        List<Socket> waiting = FillBacklog(listener);
        await StartAsync();
        Task<CoapConnection> connecting = Transport.ConnectAsync(AddressOf(listener), null, CancellationToken.None).AsTask();
        await UntilAsync(() => Clock.TimerCount == 1);

        Clock.Advance(FromSeconds(20));

        CoapConnectionException exception = await Assert.ThrowsAsync<CoapConnectionException>(() => Within(connecting));
        Assert.Equal(CoapError.ConnectFailed, exception.Error);
        exception.Mentions("within 20 s (ConnectTimeout)");
        waiting.ForEach(static socket => socket.Dispose());
    }

    [Fact]
    public async Task A_cancelled_ConnectAsync_leaves_no_timer_behind()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs a full backlog that drops connections, as on Linux");
        using Socket listener = Listener(backlog: 0);
        List<Socket> waiting = FillBacklog(listener);
        await StartAsync();
        using CancellationTokenSource giveUp = new();
        Task<CoapConnection> connecting = Transport.ConnectAsync(AddressOf(listener), null, giveUp.Token).AsTask();
        await UntilAsync(() => Clock.TimerCount == 1);

        await giveUp.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(connecting));
        Assert.Equal(0, Clock.TimerCount);
        Assert.Equal(0, Context.Counters[CoapCounter.ConnectionsFailed]);
        waiting.ForEach(static socket => socket.Dispose());
    }

    [Fact]
    public async Task A_connection_refused_by_the_endpoint_is_closed_and_fails()
    {
        Context.TakesConnections = false;
        using Socket listener = Listener();
        await StartAsync();

        CoapConnectionException exception = await Assert.ThrowsAsync<CoapConnectionException>(
            () => Within(Transport.ConnectAsync(AddressOf(listener), null, CancellationToken.None).AsTask()));

        Assert.Equal(CoapError.Refused, exception.Error);
        Socket accepted = await Within(listener.AcceptAsync());
        await using AsyncPeer peer = new(accepted, new NetworkStream(accepted, ownsSocket: true));
        Assert.Empty(await peer.ReceiveToEndAsync());
        Assert.Equal(0, Context.Closes);
    }

    [Fact]
    public async Task ConnectAsync_throws_after_disposal()
    {
        await StartAsync();
        await Transport.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(
            () => Transport.ConnectAsync(CoapAddress.FromIPv4(0x7f000001, 1), null, CancellationToken.None).AsTask());
    }

    private static CoapAddress AddressOf(Socket listener) => CoapAddress.FromIPEndPoint((IPEndPoint)listener.LocalEndPoint!);

    private static Socket Listener(bool listens = true, int backlog = 10)
    {
        Socket listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        if (listens)
        {
            listener.Listen(backlog);
        }

        return listener;
    }

    // Nobody accepts: after some that wait, the kernel answers nothing.
    private static List<Socket> FillBacklog(Socket listener)
    {
        List<Socket> waiting = [];
        for (int i = 0; i < 8; i++)
        {
            Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { Blocking = false };
            waiting.Add(socket);
            try
            {
                socket.Connect(listener.LocalEndPoint!);
            }
            catch (SocketException exception) when (exception.SocketErrorCode is SocketError.WouldBlock or SocketError.InProgress)
            {
                // Under way.
            }
        }

        return waiting;
    }
}
