using CoAP.NET.Diagnostics;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Tcp.Linux;

/// <summary>Whose turn it is on a loop, and what waits for it.</summary>
public class TurnTests : LinuxTcpTest
{
    [LinuxFact]
    public async Task Requests_held_back_by_a_pause_are_served_after_the_peer_has_shut_down_its_sending_side()
    {
        using SemaphoreSlim blocked = new(0);
        using ManualResetEventSlim go = new();
        using SemaphoreSlim paused = new(0);
        CoapConnection? held = null;
        CoapTcpTransport? transport = null;
        int resumes = 0;
        LoopTestContext context = new()
        {
            OnTick = () =>
            {
                if (Interlocked.Exchange(ref resumes, 0) != 0)
                {
                    held!.ResumeReading();
                }

                return Timeout.InfiniteTimeSpan;
            },
        };
        context.OnFrame = (connection, frame) =>
        {
            byte what = frame.Span[^1];
            LoopTestContext.Echo(connection, frame);
            switch (what)
            {
                case 0x70:
                    held = connection;
                    connection.PauseReading();
                    paused.Release();
                    break;
                case 0x71:
                    blocked.Release();
                    go.Wait();
                    break;
                case 0x72:
                    // The clock is called before the next one has its turn.
                    resumes = 1;
                    transport!.Wake();
                    break;
            }
        };
        transport = await ListenAsync(context);
        await using CoapTcpTransport listening = transport;
        using StreamPeer peer = await ConnectAsync(transport);
        using StreamPeer blocking = await ConnectAsync(transport);
        using StreamPeer waking = await ConnectAsync(transport);
        await HasServedAsync(blocking);
        await HasServedAsync(waking);
        await peer.SendAsync("2002ff70" + "2002ff41" + "2002ff42");
        Assert.True(await paused.WaitAsync(Hang));
        await HasServedAsync(waking);

        await blocking.SendAsync("2002ff71");
        Assert.True(await blocked.WaitAsync(Hang));
        await waking.SendAsync("2002ff72");
        peer.Socket.Shutdown(System.Net.Sockets.SocketShutdown.Send);
        go.Set();

        Assert.Equal("2002ff70" + "2002ff41" + "2002ff42", Wire.Hex(await peer.ReceiveToEndAsync()));
    }

    [LinuxFact]
    public async Task Other_connections_are_served_between_the_many_frames_of_one_read()
    {
        const int Count = 5000;
        using SemaphoreSlim blocked = new(0);
        using ManualResetEventSlim go = new();
        int frames = 0;
        int before = -1;
        LoopTestContext context = new();
        context.OnFrame = (connection, frame) =>
        {
            int length = frame.Length;
            LoopTestContext.Echo(connection, frame);
            switch (length)
            {
                case 3:
                    blocked.Release();
                    go.Wait();
                    break;
                case 5:
                    frames++;
                    break;
                case 6:
                    before = frames;
                    break;
            }
        };
        await using CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer blocking = await ConnectAsync(transport);
        using StreamPeer greedy = await ConnectAsync(transport);
        using StreamPeer other = await ConnectAsync(transport);
        await HasServedAsync(blocking);
        await HasServedAsync(greedy);
        await HasServedAsync(other);
        await blocking.SendAsync("0102aa");
        Assert.True(await blocked.WaitAsync(Hang));
        byte[] all = [.. Enumerable.Range(0, Count).SelectMany(static i => (byte[])[0x30, 0x02, 0xff, (byte)(i >> 8), (byte)i])];
        await greedy.SendAsync(all);
        await other.SendAsync("4002ff000000");
        go.Set();

        await other.ReceiveAsync(6);
        Assert.Equal(Wire.Hex(all), Wire.Hex(await greedy.ReceiveAsync(all.Length)));
        Assert.InRange(before, 0, 1000);
        await HasServedAsync(other);
        Assert.Equal(0, context.Assembly);
    }

    [LinuxFact]
    public async Task Repeated_pauses_within_one_read_lose_no_frame()
    {
        const int Count = 3000;
        LoopTestContext context = new();
        using SemaphoreSlim paused = new(0);
        int frames = 0;
        context.OnFrame = (connection, frame) =>
        {
            LoopTestContext.Echo(connection, frame);
            if (++frames % 256 == 0)
            {
                connection.PauseReading();
                paused.Release();
            }
        };
        await using CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer peer = await ConnectAsync(transport);
        CoapConnection connection = await NextAsync(context.OpenedOnes);
        byte[] all = [.. Enumerable.Range(0, Count).SelectMany(static i => (byte[])[0x30, 0x02, 0xff, (byte)(i >> 8), (byte)i])];
        Task<byte[]> receiving = peer.ReceiveAsync(all.Length);
        await peer.SendAsync(all);
        for (int i = 0; i < Count / 256; i++)
        {
            Assert.True(await paused.WaitAsync(Hang));
            connection.ResumeReading();
        }

        Assert.Equal(Wire.Hex(all), Wire.Hex(await receiving));
    }

    [LinuxFact]
    public async Task All_frames_of_one_read_are_served_when_ReceiveMemory_has_no_room_for_them()
    {
        LoopTestContext context = new();
        context.Limits.Connections.ReceiveMemory = 4096;
        await using CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer peer = await ConnectAsync(transport);
        byte[] all = [.. Enumerable.Range(0, 10_000).SelectMany(static i => (byte[])[0x30, 0x02, 0xff, (byte)(i >> 8), (byte)i])];
        Task<byte[]> receiving = peer.ReceiveAsync(all.Length);
        await peer.SendAsync(all);

        Assert.Equal(Wire.Hex(all), Wire.Hex(await receiving));
    }

    [LinuxFact]
    public async Task A_loop_continues_when_a_Closed_callback_and_the_logger_throw()
    {
        ListLogger log = new();
        LoopTestContext context = new() { Log = log };
        context.OnClosed = static _ => throw new InvalidOperationException("closed");
        await using CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer peer = await ConnectAsync(transport);
        using StreamPeer other = await ConnectAsync(transport);
        await HasServedAsync(peer);
        log.Throws = true;
        peer.Reset();
        await NextAsync(context.ClosedOnes);

        await HasServedAsync(other);
        Assert.Equal(1, context.Counters[CoapCounter.StageErrors]);
        context.OnClosed = static _ => { };
    }
}
