using CoAP.NET.Diagnostics;
using CoAP.NET.Execution;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Tcp.Linux;

public class TcpHandOverTests : LinuxTcpTest
{
    private const byte Block = 0xbb;

    [LinuxFact]
    public async Task A_handler_that_blocks_delays_neither_other_connections_nor_later_frames_of_its_own()
    {
        using ManualResetEventSlim release = new();
        LoopTestContext context = new()
        {
            OnFrame = LoopTestContext.EchoAfter(what =>
            {
                if (what == Block)
                {
                    release.Wait();
                }
            }),
        };
        await using CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer peer = await ConnectAsync(transport);
        using StreamPeer other = await ConnectAsync(transport);

        await peer.SendAsync("20020141" + "2002bb42" + "20020143" + "2002bb44" + "20020145");
        Assert.Equal("20020141" + "20020143" + "20020145", Wire.Hex(await peer.ReceiveAsync(12)));
        for (int i = 0; i < 100; i++)
        {
            await other.SendAsync("20020100");
            Assert.Equal("20020100", Wire.Hex(await other.ReceiveAsync(4)));
        }

        Assert.True(context.Counters[CoapCounter.HandOvers] >= 2);
        release.Set();
        byte[] late = await peer.ReceiveAsync(8);
        Assert.Equal(["2002bb42", "2002bb44"], new[] { Wire.Hex(late.AsSpan(0, 4)), Wire.Hex(late.AsSpan(4)) }.Order());
        await peer.SendAsync("20020146");
        Assert.Equal("20020146", Wire.Hex(await peer.ReceiveAsync(4)));
        await context.Threads.WhenAtMostAsync(1);
    }

    [LinuxFact]
    public async Task Frames_that_a_handler_sends_before_and_after_it_blocks_all_reach_the_peer()
    {
        using ManualResetEventSlim release = new();
        LoopTestContext context = new()
        {
            OnFrame = (connection, frame) =>
            {
                frame.Dispose();
                UserCodeScope.Enter();
                connection.Send(LoopTestContext.Copy(Wire.Hex("20020141")));
                release.Wait();
                connection.Send(LoopTestContext.Copy(Wire.Hex("20020142")));
                UserCodeScope.Exit();
                connection.Send(LoopTestContext.Copy(Wire.Hex("20020143")));
            },
        };
        await using CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer peer = await ConnectAsync(transport);

        await peer.SendAsync("0002");
        Assert.Equal("20020141", Wire.Hex(await peer.ReceiveAsync(4)));
        release.Set();
        Assert.Equal("20020142" + "20020143", Wire.Hex(await peer.ReceiveAsync(8)));
    }

    [LinuxFact]
    public async Task A_frame_held_by_a_blocked_handler_is_not_overwritten_by_frames_received_meanwhile()
    {
        using ManualResetEventSlim release = new();
        LoopTestContext context = new()
        {
            OnFrame = (connection, frame) =>
            {
                UserCodeScope.Enter();
                if (frame.Span[^1] == Block)
                {
                    release.Wait();
                }

                UserCodeScope.Exit();
                LoopTestContext.Echo(connection, frame);
            },
        };
        await using CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer peer = await ConnectAsync(transport);
        using StreamPeer other = await ConnectAsync(transport);
        byte[] large = StreamPeer.Frame(3000);
        large[^1] = Block;

        await peer.SendAsync("200201bb");
        for (int i = 0; i < 50; i++)
        {
            await other.SendAsync($"3002{i:x2}0000");
            Assert.Equal($"3002{i:x2}0000", Wire.Hex(await other.ReceiveAsync(5)));
        }

        // One in pieces, and one that begins with it and ends later.
        await peer.SendAsync(large.AsMemory(0, 1500));
        await HasServedAsync(other);
        await peer.SendAsync(large.Skip(1500).Concat(Wire.Hex("3002aa")).ToArray());
        await HasServedAsync(other);
        await peer.SendAsync("0000");
        Assert.Equal("3002aa0000", Wire.Hex(await peer.ReceiveAsync(5)));

        release.Set();
        byte[] late = await peer.ReceiveAsync(4 + large.Length);
        Assert.True(late.AsSpan().SequenceEqual((byte[])[.. Wire.Hex("200201bb"), .. large])
            || late.AsSpan().SequenceEqual((byte[])[.. large, .. Wire.Hex("200201bb")]));
    }

    [LinuxFact]
    public async Task Opened_ReceiveEnded_and_Closed_callbacks_that_block_do_not_delay_other_connections()
    {
        using ManualResetEventSlim release = new();
        using SemaphoreSlim blocked = new(0);
        Action<CoapConnection> block = _ =>
        {
            UserCodeScope.Enter();
            blocked.Release();
            release.Wait();
            UserCodeScope.Exit();
        };
        LoopTestContext context = new();
        await using CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer other = await ConnectAsync(transport);
        using StreamPeer ending = await ConnectAsync(transport);
        StreamPeer reset = await ConnectAsync(transport);
        await HasServedAsync(ending);
        await HasServedAsync(reset);
        await HasServedAsync(other);

        context.OnOpened = connection =>
        {
            block(connection);
            return true;
        };
        using StreamPeer opening = await ConnectAsync(transport);
        Assert.True(await blocked.WaitAsync(Hang));
        await HasServedAsync(other);

        context.OnReceiveEnded = block + (static connection => connection.Close(null));
        ending.Socket.Shutdown(System.Net.Sockets.SocketShutdown.Send);
        Assert.True(await blocked.WaitAsync(Hang));
        await HasServedAsync(other);

        context.OnClosed = block;
        reset.Reset();
        Assert.True(await blocked.WaitAsync(Hang));
        await HasServedAsync(other);
        context.OnClosed = static _ => { };

        await opening.SendAsync("0002");
        release.Set();
        Assert.Equal("0002", Wire.Hex(await opening.ReceiveAsync(2)));
        Assert.Empty(await ending.ReceiveToEndAsync());
    }

    [LinuxFact]
    public async Task A_hundred_handlers_that_block_at_the_same_time_all_answer_and_leak_no_thread()
    {
        const int Count = 100;
        using SemaphoreSlim release = new(0);
        using SemaphoreSlim entered = new(0);
        LoopTestContext context = new()
        {
            OnFrame = LoopTestContext.EchoAfter(what =>
            {
                if (what == Block)
                {
                    entered.Release();
                    release.Wait();
                }
            }),
        };
        CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer peer = await ConnectAsync(transport);
        using StreamPeer other = await ConnectAsync(transport);

        await peer.SendAsync(Enumerable.Repeat(Wire.Hex("2002bb00"), Count).SelectMany(static frame => frame).ToArray());
        for (int i = 0; i < Count; i++)
        {
            Assert.True(await entered.WaitAsync(Hang));
        }

        await other.SendAsync("20020100");
        await other.ReceiveAsync(4);
        release.Release(Count);
        await peer.ReceiveAsync(Count * 4);
        await transport.DisposeAsync();
        await context.Threads.WhenAtMostAsync(0);
    }
}
