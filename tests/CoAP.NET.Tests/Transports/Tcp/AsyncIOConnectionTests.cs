using System.Net;
using System.Net.Sockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Tests.Transports.Tcp;

// What comes and leaves on one connection.
public class AsyncIOConnectionTests : AsyncTest
{
    // GET /x with a token of one byte.
    private const string Get = "2101aab178";

    [Fact]
    public async Task Frames_are_parsed_from_single_bytes()
    {
        await ListenAsync();
        (AsyncPeer peer, CoapConnection _) = await ConnectAsync();
        await using AsyncPeer _peer = peer;
        foreach (byte one in Wire.Hex("00e1" + Get + "0000"))
        {
            await peer.SendAsync(new[] { one });
        }

        Assert.Equal("00e1", await Context.NextFrameAsync());
        Assert.Equal(Get, await Context.NextFrameAsync());
        Assert.Equal("0000", await Context.NextFrameAsync());
    }

    [Fact]
    public async Task Frames_that_arrive_together_are_delivered_in_order()
    {
        await ListenAsync();
        (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();
        await using AsyncPeer _peer = peer;

        await peer.SendAsync("00e1" + Get + Get + "2101bb");
        Assert.Equal("00e1", await Context.NextFrameAsync());
        Assert.Equal(Get, await Context.NextFrameAsync());
        Assert.Equal(Get, await Context.NextFrameAsync());
        await UntilAsync(() => connection.Progress.PartialLength != 0);
        await peer.SendAsync("b178");
        Assert.Equal("2101bbb178", await Context.NextFrameAsync());
        Assert.Equal(4, connection.Progress.FramesReceived);
        await UntilAsync(() => connection.Progress.PartialLength == 0);
    }

    [Fact]
    public async Task A_received_frame_carries_the_addresses_of_its_connection()
    {
        CoapDatagram? seen = null;
        (CoapAddress Remote, CoapAddress Local, CoapTransport? Transport)? addresses = null;
        Context.OnReceive = frame =>
        {
            seen = frame;
            addresses = (frame.Remote, frame.Local, frame.Transport);
            frame.Dispose();
        };
        await ListenAsync();
        (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();
        await using AsyncPeer _peer = peer;
        await peer.SendAsync(Get);

        await Context.NextFrameAsync();

        Assert.NotNull(seen);
        Assert.Equal((connection.Remote, connection.Local, Transport), addresses);
        Assert.Equal(CoapAddress.FromIPEndPoint((IPEndPoint)peer.Socket.LocalEndPoint!).Port, connection.Remote.Port);
        Assert.Equal(Address, connection.Local);
        Assert.False(connection.IsInitiator);
    }

    [Theory]
    [InlineData(13)]
    [InlineData(269)]
    [InlineData(4096)]
    [InlineData(65_805)]
    [InlineData(1_000_000)]
    public async Task Frames_of_any_length_are_received_and_sent_complete(int length)
    {
        await ListenAsync();
        (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();
        await using AsyncPeer _peer = peer;
        byte[] frame = Frame(length);
        byte[] arrived = [];
        Context.OnReceive = datagram =>
        {
            arrived = datagram.Span.ToArray();
            datagram.Dispose();
        };

        await peer.SendAsync(frame);
        await Context.NextFrameAsync();

        Assert.Equal(frame, arrived);
        await UntilAsync(() => Context.Assembly == 0);
        connection.Send(AsyncContext.Frame(frame));
        Assert.Equal(frame, await peer.ReceiveAsync(frame.Length));
        await UntilAsync(() => connection.Progress.Equals(new CoapConnectionTransferProgress(1, 0, frame.Length, 0)));
    }

    [Fact]
    public async Task Memory_for_an_incomplete_frame_is_charged_as_its_bytes_arrive_and_then_freed()
    {
        await ListenAsync();
        (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();
        await using AsyncPeer _peer = peer;
        byte[] frame = Frame(100_000);

        await peer.SendAsync(frame.AsMemory(0, 100));
        await UntilAsync(() => connection.Progress.PartialLength == frame.Length);
        Assert.Equal(0, Context.Assembly);
        await peer.SendAsync(frame.AsMemory(100, 9900));
        await UntilAsync(() => Context.Assembly == 12_288);
        await peer.SendAsync(frame.AsMemory(10_000));
        await Context.NextFrameAsync();

        await UntilAsync(() => Context.Assembly == 0);
    }

    [Fact]
    public async Task The_read_buffer_of_an_incomplete_frame_is_also_charged()
    {
        await ListenAsync();
        (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();
        await using AsyncPeer _peer = peer;

        await peer.SendAsync(Frame(100_000).AsMemory(0, FrameBuffer.SmallPiece));
        await UntilAsync(() => connection.Progress.PartialReceived == FrameBuffer.SmallPiece);

        await UntilAsync(() => Context.Assembly == 2 * FrameBuffer.SmallPiece);
    }

    [Fact]
    public async Task The_memory_of_an_incomplete_frame_is_freed_when_its_connection_ends()
    {
        await ListenAsync();
        (AsyncPeer peer, CoapConnection _) = await ConnectAsync();
        await peer.SendAsync(Frame(100_000).AsMemory(0, 50_000));
        await UntilAsync(() => Context.Assembly > 0);

        peer.Reset();

        Assert.NotNull((await Context.NextClosedAsync()).Error);
        await UntilAsync(() => Context.Assembly == 0);
    }

    [Fact]
    public async Task A_frame_above_the_memory_limit_ends_its_connection()
    {
        Context.AssemblyLimit = 8192;
        await ListenAsync();
        (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();
        await using AsyncPeer _peer = peer;

        await peer.SendAsync(Frame(100_000).AsMemory(0, 20_000));

        (CoapConnection closed, Exception? error) = await Context.NextClosedAsync();
        Assert.Same(connection, closed);
        Assert.Equal(CoapError.Refused, Assert.IsType<CoapConnectionException>(error).Error);
        await UntilAsync(() => Context.Assembly == 0);
    }

    [Fact]
    public async Task A_received_frame_that_the_application_keeps_stays_unchanged()
    {
        List<CoapDatagram> kept = [];
        Context.OnReceive = kept.Add;
        await ListenAsync();
        (AsyncPeer peer, CoapConnection _) = await ConnectAsync();
        await using AsyncPeer _peer = peer;
        string[] sent = [.. Enumerable.Range(0, 200).Select(i => Wire.Hex(Frame(20 + (i * 31), (byte)i)))];
        foreach (string frame in sent)
        {
            await peer.SendAsync(frame);
        }

        for (int i = 0; i < sent.Length; i++)
        {
            await Context.NextFrameAsync();
        }

        Assert.Equal(sent, kept.Select(frame => Wire.Hex(frame.Span)));
    }

    [Fact]
    public async Task PauseReading_holds_back_the_next_frame_until_ResumeReading()
    {
        await ListenAsync();
        (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();
        await using AsyncPeer _peer = peer;
        Context.OnReceive = frame =>
        {
            frame.Dispose();
            connection.PauseReading();
        };

        await peer.SendAsync("00e1" + Get);
        Assert.Equal("00e1", await Context.NextFrameAsync());
        await peer.SendAsync("0000");
        connection.PauseReading();
        connection.ResumeReading();
        Assert.Equal(1, connection.Progress.FramesReceived);
        Assert.False(Context.TryTakeFrame(out string? _));
        connection.ResumeReading();

        Assert.Equal(Get, await Context.NextFrameAsync());
        connection.ResumeReading();
        Assert.Equal("0000", await Context.NextFrameAsync());
    }

    [Fact]
    public async Task The_server_stops_reading_from_a_peer_that_does_not_read_its_answers()
    {
        byte[] answer = Frame(100_000);
        int answers = 0;
        await ListenAsync();
        (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();
        await using AsyncPeer _peer = peer;
        Context.OnReceive = frame =>
        {
            frame.Dispose();
            answers++;
            connection.Send(AsyncContext.Frame(answer));
        };
        const int Requests = 400;
        await peer.SendAsync(string.Concat(Enumerable.Repeat(Get, Requests)));

        long waiting = 0;
        await UntilAsync(() => connection.IsCongested && Context.Counters[CoapCounter.ReadingPauses] > 0
            && (waiting = connection.Progress.BytesWaiting) > 0);
        Assert.InRange(waiting, 1, Context.Limits.Connections.SendQueueSize + answer.Length);
        Assert.True(answers < Requests);
        for (int i = 0; i < Requests; i++)
        {
            Assert.Equal(answer, await peer.ReceiveAsync(answer.Length));
        }

        await Context.NextWritableAsync();
        await UntilAsync(() => !connection.IsCongested);
    }

    [Fact]
    public async Task A_connection_with_too_many_unsent_bytes_ends_as_TooSlow()
    {
        Context.Limits.Connections.MaxSendQueueSize = 100_000;
        await ListenAsync();
        (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();
        await using AsyncPeer _peer = peer;
        byte[] frame = Frame(500_000);
        for (int i = 0; i < 1000 && Context.Counters[CoapCounter.SlowConnections] == 0; i++)
        {
            connection.Send(AsyncContext.Frame(frame));
        }

        Assert.Equal(CoapError.TooSlow, Assert.IsType<CoapConnectionException>((await Context.NextClosedAsync()).Error).Error);
        Assert.Equal(1, Context.Counters[CoapCounter.SlowConnections]);
    }

    [Fact]
    public async Task Frames_of_many_threads_are_sent_complete_and_in_order_for_each_thread()
    {
        await ListenAsync();
        (AsyncPeer peer, CoapConnection connection) = await ConnectAsync();
        await using AsyncPeer _peer = peer;
        Task[] senders = [.. Enumerable.Range(0, 4).Select(SendAllAsync)];
        async Task SendAllAsync(int thread)
        {
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            for (int i = 0; i < 500; i++)
            {
                connection.Send(AsyncContext.Frame($"4145{thread:x2}ff{i:x6}"));
            }
        }

        int[] next = new int[4];
        for (int i = 0; i < 2000; i++)
        {
            byte[] frame = await peer.ReceiveAsync(7);
            Assert.Equal("4145", Wire.Hex(frame.AsSpan(0, 2)));
            Assert.Equal(next[frame[2]]++, (frame[4] << 16) | (frame[5] << 8) | frame[6]);
        }

        await Within(Task.WhenAll(senders));
    }

    // A response 2.05 with a payload, of so many bytes or a few more.
    internal static byte[] Frame(int length, byte fill = 0x5a)
    {
        CoapMessage message = new(CoapCode.Content) { Payload = Enumerable.Repeat(fill, length).ToArray() };
        return CoAP.NET.CoapStreamSerializer.Default.Serialize(message);
    }
}
