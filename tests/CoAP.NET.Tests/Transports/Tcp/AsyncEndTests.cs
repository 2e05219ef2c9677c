using System.Net;
using System.Net.Sockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Tcp;

// How connections begin and end.
public class AsyncEndTests : AsyncTest
{
    [Fact]
    public async Task The_last_frame_is_followed_by_the_end_of_the_connection()
    {
        await ListenAsync();
        (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();
        await using AsyncPeer _peer = peer;
        await peer.SendAsync("4145");
        connection.Send(AsyncContext.Frame("00e2"));
        connection.Send(AsyncContext.Frame("00e5", isLast: true));
        connection.Send(AsyncContext.Frame("00e3"));

        Assert.Equal("00e200e5", Wire.Hex(await peer.ReceiveToEndAsync()));
        Assert.Equal((connection, null), await Context.NextClosedAsync());
    }

    [Fact]
    public async Task The_last_frame_arrives_although_the_peer_keeps_sending()
    {
        await ListenAsync();
        (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();
        await using AsyncPeer _peer = peer;
        connection.PauseReading();
        await peer.SendAsync(new byte[60_000]);

        connection.Send(AsyncContext.Frame("00e5", isLast: true));
        await Context.NextClosedAsync();
        await peer.SendAsync(new byte[60_000]);

        Assert.Equal("00e5", Wire.Hex(await peer.ReceiveToEndAsync()));
        Assert.False(Context.TryTakeFrame(out string? _));
    }

    [Fact]
    public async Task The_socket_closes_after_ReleaseTimeout_when_the_peer_keeps_its_side_open()
    {
        await ListenAsync();
        (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();
        await using AsyncPeer _peer = peer;
        connection.Send(AsyncContext.Frame("00e5", isLast: true));
        await Context.NextClosedAsync();
        Assert.Equal("00e5", Wire.Hex(await peer.ReceiveToEndAsync()));
        await UntilAsync(() => Clock.TimerCount == 1);

        Clock.Advance(Options.Streams.ReleaseTimeout);

        // The socket is gone: what is sent now is answered by a reset, sooner or later.
        await Assert.ThrowsAnyAsync<IOException>(async () =>
        {
            while (true)
            {
                await peer.SendAsync(new byte[1000]);
            }
        });
    }

    [Fact]
    public async Task The_socket_closes_when_the_peer_ends_inside_a_frame()
    {
        await ListenAsync();
        (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();
        await using AsyncPeer _peer = peer;
        await peer.SendAsync("2101aa");
        await UntilAsync(() => connection.Progress.PartialLength > 0);
        connection.Send(AsyncContext.Frame("00e5", isLast: true));
        await Context.NextClosedAsync();
        Assert.Equal("00e5", Wire.Hex(await peer.ReceiveToEndAsync()));
        await UntilAsync(() => Clock.TimerCount == 1);

        peer.EndSending();

        await UntilAsync(() => Clock.TimerCount == 0);
    }

    [Fact]
    public async Task A_reset_is_reported_once_with_its_SocketException()
    {
        await ListenAsync();
        (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();

        peer.Reset();

        (CoapConnection closed, Exception? error) = await Context.NextClosedAsync();
        Assert.Same(connection, closed);
        Assert.Equal(SocketError.ConnectionReset, Assert.IsType<SocketException>(error).SocketErrorCode);
        connection.Close(null);
        connection.Send(AsyncContext.Frame("0000"));
        Assert.Equal(1, Context.Closes);
    }

    [Fact]
    public async Task Answers_are_still_sent_after_the_peer_closed_its_sending_side()
    {
        await ListenAsync();
        (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();
        await using AsyncPeer _peer = peer;
        await peer.SendAsync("2101aab178");
        peer.EndSending();

        Assert.Equal("2101aab178", await Context.NextFrameAsync());
        Assert.Same(connection, await Context.NextEndedAsync());
        Assert.Equal(0, Context.Closes);
        connection.Send(AsyncContext.Frame("4145aa", isLast: true));

        Assert.Equal("4145aa", Wire.Hex(await peer.ReceiveToEndAsync()));
        Assert.Null((await Context.NextClosedAsync()).Error);
    }

    [Fact]
    public async Task A_peer_that_ends_inside_a_frame_is_reported_as_ended()
    {
        await ListenAsync();
        (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();
        await using AsyncPeer _peer = peer;
        await peer.SendAsync("2101aa");
        peer.EndSending();

        Assert.Same(connection, await Context.NextEndedAsync());
        connection.Close(null);
        Assert.Empty(await peer.ReceiveToEndAsync());
    }

    [Fact]
    public async Task A_connection_closed_inside_a_frame_delivers_no_further_frame()
    {
        await ListenAsync();
        (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();
        await using AsyncPeer _peer = peer;
        int closesInside = -1;
        Context.OnReceive = frame =>
        {
            frame.Dispose();
            connection.Close(null);
            closesInside = Context.Closes;
        };
        await peer.SendAsync("0000" + "0000");

        Assert.Equal((connection, null), await Context.NextClosedAsync());
        Assert.Equal(0, closesInside);
        Assert.Equal(1, connection.Progress.FramesReceived);
    }

    [Fact]
    public async Task A_connection_that_the_endpoint_does_not_accept_is_closed_without_a_message()
    {
        Context.TakesConnections = false;
        await ListenAsync();
        await using AsyncPeer peer = await AsyncPeer.ConnectAsync(Address);

        Assert.Empty(await peer.ReceiveToEndAsync());
        Assert.Equal(0, Context.Closes);
    }

    [Fact]
    public async Task Disposing_closes_each_connection_once_and_frees_the_port()
    {
        await ListenAsync();
        List<AsyncPeer> peers = [];
        for (int i = 0; i < 20; i++)
        {
            peers.Add((await ConnectAsync()).Peer);
        }

        await Within(Transport.DisposeAsync().AsTask());

        Assert.Equal(20, Context.Closes);
        foreach (AsyncPeer peer in peers)
        {
            Assert.Empty(await peer.ReceiveToEndAsync());
            await peer.DisposeAsync();
        }

        // Another process may take the port first; hardly so each time.
        for (int attempt = 1; !CanBind(Address.Port); attempt++)
        {
            Assert.True(attempt < 10, $"Port {Address.Port} is not free.");
            Options.Endpoints.Clear();
            await ListenAsync();
            await Within(Transport.DisposeAsync().AsTask());
        }

        static bool CanBind(int port)
        {
            using Socket again = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            try
            {
                again.Bind(new IPEndPoint(IPAddress.Loopback, port));
                return true;
            }
            catch (SocketException exception) when (exception.SocketErrorCode == SocketError.AddressAlreadyInUse)
            {
                return false;
            }
        }
    }

    [Fact]
    public async Task Disposing_under_load_reports_each_closed_connection_once()
    {
        Context.OnReceive = static frame =>
        {
            CoapDatagram answer = frame.Copy();
            frame.Dispose();
            answer.Dispose();
        };
        await ListenAsync();
        List<Task> loads = [];
        List<AsyncPeer> peers = [];
        for (int i = 0; i < 4; i++)
        {
            (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();
            peers.Add(peer);
            loads.Add(LoadAsync());
            async Task LoadAsync()
            {
                await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
                try
                {
                    while (true)
                    {
                        await peer.SendAsync("2101aab178");
                        connection.Send(AsyncContext.Frame("0145aa"));
                        await Task.Yield();
                    }
                }
                catch (IOException)
                {
                    // That is the end.
                }
            }
        }

        for (int i = 0; i < 200; i++)
        {
            await Context.NextFrameAsync();
        }

        await Within(Transport.DisposeAsync().AsTask());
        await Within(Task.WhenAll(loads));

        await UntilAsync(() => Context.Closes == 4);
        foreach (AsyncPeer peer in peers)
        {
            await peer.DisposeAsync();
        }
    }

    [Fact]
    public async Task The_engine_accepts_again_after_failures_and_logs_them_once()
    {
        ListLogger log = new();
        AsyncContext context = new() { Time = Clock, Log = log };
        await using AsyncTcpEngine engine = new(new CoapTcpTransport(Options), context, Options);

        // Nobody listens yet: each attempt fails, as where no file descriptor is left.
        using Socket listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        using CancellationTokenSource stopping = new();
        Task loop = new SocketAcceptLoop(engine, listener, stopping.Token).RunAsync();
        for (int i = 1; i <= 3; i++)
        {
            await UntilAsync(() => context.Counters[CoapCounter.AcceptFailures] == i && Clock.TimerCount == 1);
            if (i == 3)
            {
                listener.Listen();
            }

            Clock.Advance(FromMilliseconds(100));
        }

        await using AsyncPeer peer = await AsyncPeer.ConnectAsync(AsyncTcpEngine.LocalAddressOf(listener));
        await context.NextOpenedAsync();
        Assert.Single(log.Entries, entry => entry.Id == 1021);
        Assert.Equal(3, context.Counters[CoapCounter.AcceptFailures]);
        await stopping.CancelAsync();
        await Within(loop);
    }

    [Fact]
    public async Task A_port_in_use_throws_CoapBindException()
    {
        using Socket taken = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        taken.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        taken.Listen();
        Options.Endpoints.Add((IPEndPoint)taken.LocalEndPoint!);

        CoapBindException exception = await Assert.ThrowsAsync<CoapBindException>(StartAsync);

        Assert.Equal(SocketError.AddressAlreadyInUse, exception.SocketError);
        Assert.Equal(taken.LocalEndPoint, exception.Endpoint);
    }

    [Fact]
    public async Task The_IPv6_wildcard_address_also_accepts_IPv4_connections()
    {
        if (!Socket.OSSupportsIPv6)
        {
            return;
        }

        Options.Endpoints.Add(new IPEndPoint(IPAddress.IPv6Any, 0));
        await StartAsync();

        (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();

        await using AsyncPeer _peer = peer;
        Assert.True(connection.Remote.IsIPv4);
        Assert.True(connection.Local.IsIPv4);
    }
}
