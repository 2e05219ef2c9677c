using System.Net.Sockets;
using CoAP.NET.Execution;
using CoAP.NET.Testing;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Tcp.Linux;

public class ClosingTests : LinuxTcpTest
{
    [LinuxFact]
    public async Task A_TCP_reset_in_the_middle_of_a_frame_closes_the_connection_once_as_Lost()
    {
        LoopTestContext context = new();
        await using CoapTcpTransport transport = await ListenAsync(context);
        StreamPeer peer = await ConnectAsync(transport);
        CoapConnection connection = await NextAsync(context.OpenedOnes);
        await peer.SendAsync("2002ff41" + "2002");
        await peer.ReceiveAsync(4);

        peer.Reset();

        (CoapConnection closed, Exception? error) = await NextAsync(context.ClosedOnes);
        Assert.Same(connection, closed);
        Assert.Equal(CoapError.Lost, Assert.IsType<CoapConnectionException>(error).Error);
        connection.Send(LoopTestContext.Copy(Wire.Hex("0002")));
        connection.Close(null);
        connection.PauseReading();
        connection.ResumeReading();
        await transport.DisposeAsync();
        Assert.False(context.ClosedOnes.Reader.TryRead(out _));
    }

    [LinuxFact]
    public async Task A_TCP_reset_closes_the_connection_as_Lost_while_reading_is_paused()
    {
        LoopTestContext context = new();
        await using CoapTcpTransport transport = await ListenAsync(context);
        StreamPeer peer = await ConnectAsync(transport);
        CoapConnection connection = await NextAsync(context.OpenedOnes);
        connection.PauseReading();
        await peer.SendAsync("0002");

        peer.Reset();

        Assert.Equal(CoapError.Lost, Assert.IsType<CoapConnectionException>((await NextAsync(context.ClosedOnes)).Error).Error);
    }

    [LinuxFact]
    public async Task Answers_are_sent_after_the_peer_has_shut_down_its_sending_side()
    {
        LoopTestContext context = new();
        TaskCompletionSource<CoapConnection> ended = new(RunContinuationsAsynchronously);
        context.OnReceiveEnded = ended.SetResult;
        await using CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer peer = await ConnectAsync(transport);
        await peer.SendAsync("2002ff41");
        peer.Socket.Shutdown(SocketShutdown.Send);

        CoapConnection connection = await ended.Task.WaitAsync(Hang);
        connection.Send(LoopTestContext.Copy(Wire.Hex("2002ff42")));
        connection.Close(null);

        Assert.Equal("2002ff41" + "2002ff42", Wire.Hex(await peer.ReceiveToEndAsync()));
        Assert.Null((await NextAsync(context.ClosedOnes)).Error);
    }

    [LinuxFact]
    public async Task A_connection_neither_sends_nor_receives_frames_after_its_last_frame_and_ends_when_the_peer_closes()
    {
        LoopTestContext context = new();
        int frames = 0;
        context.OnFrame = (connection, frame) =>
        {
            frame.Dispose();
            frames++;
            connection.Send(LoopTestContext.Copy(Wire.Hex("2002ff41")));
            connection.Send(LoopTestContext.Copy(Wire.Hex("00e5"), isLast: true));
            connection.Send(LoopTestContext.Copy(Wire.Hex("2002ff42")));
        };
        await using CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer peer = await ConnectAsync(transport);
        await peer.SendAsync(Enumerable.Repeat(Wire.Hex("2002ff00"), 1000).SelectMany(static frame => frame).ToArray());

        Assert.Equal("2002ff41" + "00e5", Wire.Hex(await peer.ReceiveToEndAsync()));
        Assert.False(context.ClosedOnes.Reader.TryRead(out _));
        peer.Dispose();
        Assert.Null((await NextAsync(context.ClosedOnes)).Error);
        Assert.Equal(1, frames);
    }

    [LinuxFact]
    public async Task A_connection_whose_peer_does_not_close_after_the_last_frame_is_closed_after_ReleaseTimeout()
    {
        VirtualClock clock = new();
        LoopTestContext context = new() { Time = clock };
        await using CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer peer = await ConnectAsync(transport);
        CoapConnection connection = await NextAsync(context.OpenedOnes);
        using StreamPeer other = await ConnectAsync(transport);
        connection.Send(LoopTestContext.Copy(Wire.Hex("00e5"), isLast: true));
        Assert.Equal("00e5", Wire.Hex(await peer.ReceiveToEndAsync()));

        // The loop begins to wait after the peer has what was sent.
        Task<(CoapConnection, Exception? Error)> closed = NextAsync(context.ClosedOnes);
        while (!closed.IsCompleted)
        {
            clock.Advance(new CoapStreamOptions().ReleaseTimeout);
            await HasServedAsync(other);
        }

        Assert.Null((await closed).Error);
    }

    [LinuxFact]
    public async Task Large_frames_up_to_the_last_frame_are_sent_completely_to_a_slow_peer()
    {
        LoopTestContext context = new();
        await using CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer peer = await ConnectAsync(transport);
        CoapConnection connection = await NextAsync(context.OpenedOnes);
        byte[] frame = StreamPeer.Frame(2_000_000);
        for (int i = 0; i < 3; i++)
        {
            connection.Send(LoopTestContext.Copy(frame, isLast: i == 2));
        }

        byte[] all = await peer.ReceiveToEndAsync();
        Assert.Equal(3 * frame.Length, all.Length);
        Assert.True(frame.AsSpan().SequenceEqual(all.AsSpan(2 * frame.Length)));
        peer.Dispose();
        Assert.Null((await NextAsync(context.ClosedOnes)).Error);
    }

    [LinuxFact]
    public async Task A_connection_that_its_handler_closes_drops_the_frames_received_after_that()
    {
        LoopTestContext context = new();
        CoapConnectionException reason = new(CoapError.Aborted, "enough");
        int frames = 0;
        context.OnFrame = (connection, frame) =>
        {
            frames++;
            frame.Dispose();
            UserCodeScope.Enter();
            connection.Close(reason);
            connection.Close(null);
            UserCodeScope.Exit();
        };

        // Where the system keeps the thread from its work before it closes, another one would go on with the second frame.
        await using CoapTcpTransport transport = await ListenAsync(context, handsOver: false);
        using StreamPeer peer = await ConnectAsync(transport);
        await peer.SendAsync("2002ff41" + "2002ff42");

        (_, Exception? error) = await NextAsync(context.ClosedOnes);
        Assert.Same(reason, error);
        Assert.Equal(1, frames);
        Assert.Empty(await peer.ReceiveToEndAsync());
    }

    [LinuxFact]
    public async Task A_connection_that_the_endpoint_refuses_is_closed_without_sending_a_byte()
    {
        LoopTestContext context = new() { OnOpened = static _ => false };
        await using CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer peer = await ConnectAsync(transport);

        Assert.Empty(await peer.ReceiveToEndAsync());
        await transport.DisposeAsync();
        Assert.False(context.ClosedOnes.Reader.TryRead(out _));
    }

    [LinuxFact]
    public async Task A_handler_may_wait_for_DisposeAsync_which_closes_every_connection()
    {
        LoopTestContext context = new();
        CoapTcpTransport? transport = null;
        TaskCompletionSource disposed = new(RunContinuationsAsynchronously);
        context.OnFrame = LoopTestContext.EchoAfter(what =>
        {
            if (what == 0x44)
            {
                transport!.DisposeAsync().AsTask().GetAwaiter().GetResult();
                disposed.SetResult();
            }
        });
        transport = await ListenAsync(context);
        StreamPeer[] peers = await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => ConnectAsync(transport)));
        await peers[3].SendAsync("200244");
        await peers[3].SendAsync("02");

        await disposed.Task.WaitAsync(Hang);
        Assert.All(await Task.WhenAll(peers.Select(peer => peer.ReceiveToEndAsync())), Assert.Empty);
        for (int i = 0; i < peers.Length; i++)
        {
            Assert.Equal(CoapError.ClosedLocally,
                Assert.IsType<CoapConnectionException>((await NextAsync(context.ClosedOnes)).Error).Error);
        }

        Assert.Equal(context.OpenedOnes.Reader.Count, peers.Length);
        await context.Threads.WhenAtMostAsync(0);
        Array.ForEach(peers, peer => peer.Dispose());
    }

    [LinuxFact]
    public async Task DisposeAsync_under_load_closes_each_connection_once_and_frees_all_threads()
    {
        LoopTestContext context = new() { Shards = 2 };
        CoapTcpTransport transport = await ListenAsync(context);
        StreamPeer[] peers = await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => ConnectAsync(transport)));
        using SemaphoreSlim working = new(0);
        byte[] many = [.. Enumerable.Repeat(Wire.Hex("2002ff41"), 100).SelectMany(static frame => frame)];
        Task[] load = [.. peers.Select(async peer =>
        {
            try
            {
                while (true)
                {
                    await peer.SendAsync(many);
                    if ((await peer.ReceiveOnceAsync()).Length == 0)
                    {
                        return;
                    }

                    working.Release();
                }
            }
            catch (SocketException)
            {
                // What was under way when it was closed.
            }
        })];
        for (int i = 0; i < 50; i++)
        {
            Assert.True(await working.WaitAsync(Hang));
        }

        await transport.DisposeAsync().AsTask().WaitAsync(Hang);

        await Task.WhenAll(load).WaitAsync(Hang);
        Assert.Equal(peers.Length, context.ClosedOnes.Reader.Count);
        Assert.Equal(0, context.Assembly);
        await context.Threads.WhenAtMostAsync(0);
        Array.ForEach(peers, static peer => peer.Dispose());
    }

    [LinuxFact]
    public async Task A_Closed_callback_that_blocks_does_not_delay_DisposeAsync()
    {
        using ManualResetEventSlim release = new();
        LoopTestContext context = new()
        {
            OnClosed = _ =>
            {
                UserCodeScope.Enter();
                release.Wait();
                UserCodeScope.Exit();
            },
        };
        CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer first = await ConnectAsync(transport);
        using StreamPeer second = await ConnectAsync(transport);
        await NextAsync(context.OpenedOnes);
        await NextAsync(context.OpenedOnes);

        await transport.DisposeAsync().AsTask().WaitAsync(Hang);

        Assert.Equal(2, context.ClosedOnes.Reader.Count);
        release.Set();
        await context.Threads.WhenAtMostAsync(0);
    }
}
