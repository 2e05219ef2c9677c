using CoAP.NET.Diagnostics;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Tcp.Linux;

public class CongestionTests : LinuxTcpTest
{
    [LinuxFact]
    public async Task A_connection_whose_peer_does_not_read_is_not_read_uses_bounded_memory_and_delays_no_other_connection()
    {
        LoopTestContext context = new();
        context.Limits.Connections.SendQueueSize = 64 * 1024;
        byte[] answer = StreamPeer.Frame(60_000);
        using SemaphoreSlim paused = new(0);
        int writable = 0;
        context.OnWritable = _ => Interlocked.Increment(ref writable);
        context.OnFrame = (connection, frame) =>
        {
            bool isShort = frame.Length == 2;
            frame.Dispose();
            connection.Send(LoopTestContext.Copy(isShort ? Wire.Hex("0002") : answer));
            if (connection.IsCongested)
            {
                paused.Release();
            }
        };
        await using CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer peer = await ConnectAsync(transport);
        CoapConnection connection = await NextAsync(context.OpenedOnes);
        using StreamPeer other = await ConnectAsync(transport);

        // More than the kernel takes for it; what is not read any more waits at the peer.
        const int Count = 1000;
        Task sending = peer.SendAsync(Enumerable.Repeat(Wire.Hex("100102"), Count).SelectMany(static frame => frame).ToArray());
        Assert.True(await paused.WaitAsync(Hang));
        await HasServedAsync(other);

        // A busy kernel takes what waits later, a bit at a time, so that it is read again in between: until the peer's window is closed.
        int resumed = Volatile.Read(ref writable);
        Assert.InRange(context.Counters[CoapCounter.ReadingPauses], Math.Max(1, resumed), Count);
        Assert.InRange(connection.Progress.BytesWaiting, 0, context.Limits.Connections.SendQueueSize + answer.Length);
        Assert.Equal(0, connection.Progress.PartialLength);
        long frames = connection.Progress.FramesReceived;
        Assert.True(frames < Count);

        await sending;
        for (int i = 0; i < Count; i++)
        {
            byte[] got = await peer.ReceiveAsync(answer.Length);
            Assert.True(answer.AsSpan().SequenceEqual(got));
        }

        await HasServedAsync(other);
        Assert.False(connection.IsCongested);
        Assert.True(writable > 0);
        Assert.Equal(new CoapConnectionTransferProgress(Count, 0, (long)Count * answer.Length, 0), connection.Progress);
        Assert.Equal(0, context.Assembly);
    }

    [LinuxFact]
    public async Task A_connection_with_more_than_MaxSendQueueSize_bytes_to_send_is_closed_as_TooSlow()
    {
        LoopTestContext context = new();
        context.Limits.Connections.SendQueueSize = 64 * 1024;
        context.Limits.Connections.MaxSendQueueSize = 1024 * 1024;
        await using CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer peer = await ConnectAsync(transport);
        CoapConnection connection = await NextAsync(context.OpenedOnes);
        byte[] frame = StreamPeer.Frame(100_000);
        long most = 0;
        while (!context.ClosedOnes.Reader.TryPeek(out _))
        {
            connection.Send(LoopTestContext.Copy(frame));
            most = Math.Max(most, connection.Progress.BytesWaiting);
            await Task.Yield();
        }

        CoapConnectionException error = Assert.IsType<CoapConnectionException>((await NextAsync(context.ClosedOnes)).Error);
        Assert.Equal(CoapError.TooSlow, error.Error);
        Assert.Equal(1, context.Counters[CoapCounter.SlowConnections]);
        Assert.InRange(most, 64 * 1024, (1024 * 1024) + frame.Length);
    }

    [LinuxFact]
    public async Task PauseReading_in_a_handler_holds_back_the_next_frame_until_each_pause_is_resumed()
    {
        LoopTestContext context = new();
        context.OnFrame = (connection, frame) =>
        {
            bool pauses = frame.Length == 4 && frame.Span[^1] == 0x70;
            LoopTestContext.Echo(connection, frame);
            if (pauses)
            {
                connection.PauseReading();
                connection.PauseReading();
            }
        };
        await using CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer peer = await ConnectAsync(transport);
        CoapConnection connection = await NextAsync(context.OpenedOnes);
        using StreamPeer other = await ConnectAsync(transport);

        for (int round = 0; round < 20; round++)
        {
            await peer.SendAsync("2002ff41" + "2002ff70" + "2002ff42" + "2002");
            Assert.Equal("2002ff41" + "2002ff70", Wire.Hex(await peer.ReceiveAsync(8)));
            await peer.SendAsync("ff43");
            await HasServedAsync(other);
            Assert.Equal(0, peer.Socket.Available);
            Assert.Equal(2 + (round * 4), connection.Progress.FramesReceived);
            connection.ResumeReading();
            await HasServedAsync(other);
            Assert.Equal(0, peer.Socket.Available);
            connection.ResumeReading();
            Assert.Equal("2002ff42" + "2002ff43", Wire.Hex(await peer.ReceiveAsync(8)));
        }
    }

    [LinuxFact]
    public async Task Frames_sent_by_several_threads_while_the_socket_is_full_arrive_complete_and_in_order()
    {
        LoopTestContext context = new();
        await using CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer peer = await ConnectAsync(transport);
        CoapConnection connection = await NextAsync(context.OpenedOnes);
        const int Count = 3000;
        Task echoes = context.Threads.RunAsync(() =>
        {
            for (int i = 0; i < Count; i++)
            {
                connection.Send(LoopTestContext.Copy(Numbered(0x10, i)));
            }
        });
        Task others = context.Threads.RunAsync(() =>
        {
            for (int i = 0; i < Count; i++)
            {
                connection.Send(LoopTestContext.Copy(Numbered(0x20, i)));
            }
        });
        Task sending = peer.SendAsync(Enumerable.Range(0, Count).SelectMany(i => Numbered(0x30, i)).ToArray());
        byte[] all = await peer.ReceiveAsync(3 * Count * 6);
        await Task.WhenAll(echoes, others, sending);

        int[] next = new int[4];
        for (int at = 0; at < all.Length; at += 6)
        {
            Assert.Equal("4002ff", Wire.Hex(all.AsSpan(at, 3)));
            Assert.Equal(next[all[at + 3] >> 4]++, (all[at + 4] << 8) | all[at + 5]);
        }

        Assert.Equal([0, Count, Count, Count], next);
    }

    private static byte[] Numbered(byte who, int i) => [0x40, 0x02, 0xff, who, (byte)(i >> 8), (byte)i];
}
