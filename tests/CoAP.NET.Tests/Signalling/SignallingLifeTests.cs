using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Signalling;

// RFC 8323 sections 3.4 and 5.4: whether the peer is there, and quick enough.
public sealed class SignallingLifeTests : SignallingTest
{
    [Fact]
    public async Task A_silent_peer_gets_a_Ping_and_the_connection_is_lost_without_a_Pong()
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        Clock.Advance(FromSeconds(119.9));
        connection.HasSentNothing();
        Clock.Advance(FromSeconds(0.2));
        connection.HasSent("00e2");

        Clock.Advance(FromSeconds(19.7));
        Assert.False(connection.IsClosed);
        Clock.Advance(FromSeconds(0.4));
        Assert.Equal(CoapError.Lost, Assert.IsType<CoapConnectionException>(connection.CloseReason).Error);
        Assert.Equal(1, Count(CoapCounter.ConnectionsLost));
        connection.HasSentNothing();
    }

    [Theory]
    [InlineData("00e3")]
    [InlineData(Empty)]
    [InlineData(Ping)]
    [InlineData(GetX)]
    public async Task Any_received_message_answers_a_keep_alive_Ping(string frame)
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        Clock.Advance(FromSeconds(121));
        connection.HasSent("00e2");
        connection.Receive(frame);
        connection.TakeSent();

        Clock.Advance(FromSeconds(119));
        connection.HasSentNothing();
        Clock.Advance(FromSeconds(2));
        connection.HasSent("00e2");
        Assert.False(connection.IsClosed);
    }

    [Fact]
    public async Task No_keep_alive_Ping_is_sent_while_requests_arrive()
    {
        MapX();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        for (int i = 0; i < 20; i++)
        {
            Clock.Advance(FromSeconds(100));
            connection.Receive(GetX);
            connection.HasSent(AnswerX);
        }
    }

    [Fact]
    public async Task Without_KeepAliveInterval_no_Ping_is_sent()
    {
        Options.Transports.Streams.KeepAliveInterval = Options.Transports.Streams.IdleTimeout = Timeout.InfiniteTimeSpan;
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        Clock.Advance(FromHours(10));
        connection.HasSentNothing();
        Assert.False(connection.IsClosed);
    }

    [Fact]
    public async Task An_idle_connection_is_released_and_closed()
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        List<string> sent = AnswerPings(connection);
        for (int i = 0; i < 30 && !connection.HasSentLast; i++)
        {
            Clock.Advance(FromSeconds(59));
        }

        Assert.DoesNotContain(Release, sent);
        Clock.Advance(FromSeconds(31));
        Assert.Equal(Release, sent[^1]);
        Assert.False(connection.IsClosed);
        Clock.Advance(FromSeconds(6));
        Assert.Equal(Empty, sent[^1]);
        Assert.True(connection.IsClosed);
        Assert.Equal(0, Count(CoapCounter.ConnectionsLost));
    }

    [Fact]
    public async Task A_connection_with_an_observer_is_not_idle()
    {
        Server.MapGet("/obs", () => CoapResults.Text("1")).Observable();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        List<string> sent = AnswerPings(connection);
        connection.Receive("51011060536f6273");
        Assert.Equal(1, Server.ObserverCount);
        Pass(FromHours(3), FromSeconds(30));
        Assert.DoesNotContain(Release, sent);

        connection.Receive("6101106101536f6273");
        Pass(FromMinutes(32), FromSeconds(30));
        Assert.Contains(Release, sent);
    }

    [Fact]
    public async Task A_connection_with_a_request_in_progress_is_not_idle()
    {
        TaskCompletionSource<CoapResult> slow = MapSlow();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        List<string> sent = AnswerPings(connection);
        connection.Receive(GetSlow);
        Pass(FromMinutes(45), FromSeconds(30));
        Assert.DoesNotContain(Release, sent);
        await Finish(slow);
        Pass(FromMinutes(20), FromSeconds(30));
        Assert.DoesNotContain(Release, sent);
        Pass(FromMinutes(11), FromSeconds(30));
        Assert.Contains(Release, sent);
    }

    [Fact]
    public async Task A_frame_that_takes_too_long_is_aborted()
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive("d10001");
        Clock.Advance(FromSeconds(29));
        Assert.False(connection.IsClosed);
        Clock.Advance(FromSeconds(9));
        AssertAborted(connection).Mentions("frame");
        Assert.Equal(1, Count(CoapCounter.SlowConnections));
    }

    [Theory]
    [InlineData(7_680, true)]
    [InlineData(7_679, false)]
    public async Task A_long_frame_is_not_aborted_while_256_bytes_a_second_arrive(int inHalfAMinute, bool goesOn)
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Slowness = new CoapConnectionTransferProgress(1, 1_000_000, 0, 0) { PartialReceived = 1 };
        for (int i = 1; i <= 20; i++)
        {
            // Looked at each 7.5 s.
            Pass(FromSeconds(29), FromSeconds(0.5));
            connection.Slowness = new CoapConnectionTransferProgress(1, 1_000_000, 0, 0) { PartialReceived = 1 + (i * inHalfAMinute) };
            Pass(FromSeconds(1), FromSeconds(0.5));
        }

        Assert.Equal(goesOn, !connection.IsClosed && connection.TakeSent().Length == 0);
        Assert.Equal(goesOn ? 0 : 1, Count(CoapCounter.SlowConnections));
    }

    [Fact]
    public async Task Receiving_most_of_a_frame_at_once_does_not_extend_the_timeout_for_the_rest()
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Slowness = new CoapConnectionTransferProgress(1, 1_000_000, 0, 0) { PartialReceived = 999_900 };
        Pass(FromSeconds(29), FromSeconds(1));
        Assert.False(connection.IsClosed);
        Pass(FromSeconds(10), FromSeconds(1));
        AssertAborted(connection);
    }

    [Fact]
    public async Task A_frame_of_which_single_bytes_trickle_in_is_aborted_and_frames_that_arrive_in_time_are_not()
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        for (int frame = 1; frame <= 5; frame++)
        {
            connection.Slowness = new CoapConnectionTransferProgress(frame, 25_600, 0, 0) { PartialReceived = 10 };
            Pass(FromSeconds(25), FromSeconds(1));
        }

        connection.HasSentNothing();
        for (int second = 1; second <= 40; second++)
        {
            connection.Slowness = new CoapConnectionTransferProgress(5, 25_600, 0, 0) { PartialReceived = 10 + second };
            Pass(FromSeconds(1), FromSeconds(1));
        }

        AssertAborted(connection);
    }

    [Theory]
    [InlineData(100)]
    [InlineData(7_679)]
    public async Task A_connection_whose_peer_reads_too_slowly_is_closed(int taken)
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Slowness = new CoapConnectionTransferProgress(1, 0, 100, 100_000);
        Pass(FromSeconds(29), FromSeconds(1));
        Assert.False(connection.IsClosed);
        connection.Slowness = new CoapConnectionTransferProgress(1, 0, 100 + taken, 100_000 - taken);
        Pass(FromSeconds(10), FromSeconds(1));
        Assert.Equal(CoapError.TooSlow, Assert.IsType<CoapConnectionException>(connection.CloseReason).Error);
        Assert.Equal(1, Count(CoapCounter.SlowConnections));
        connection.HasSentNothing();
    }

    [Theory]
    [InlineData(100_000, 7_680)]
    [InlineData(1000, 1000)]
    public async Task A_peer_that_reads_enough_or_everything_restarts_its_timeout(int waiting, int taken)
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        for (int i = 0; i < 10; i++)
        {
            // As much more waits as was taken.
            connection.Slowness = new CoapConnectionTransferProgress(1, 0, i * taken, waiting);
            Pass(FromSeconds(22), FromSeconds(1));
        }

        Assert.False(connection.IsClosed);
        Pass(FromSeconds(20), FromSeconds(1));
        Assert.Equal(CoapError.TooSlow, Assert.IsType<CoapConnectionException>(connection.CloseReason).Error);
    }

    [Fact]
    public async Task A_peer_whose_connection_is_not_read_is_neither_silent_nor_slow()
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.IsFull = true;
        connection.Receive("d10001");
        Pass(FromMinutes(10), FromSeconds(5));
        connection.HasSentNothing();
        Assert.False(connection.IsClosed);
    }

    // In steps, so that what is looked at now and then is looked at as often as it would be.
    private void Pass(TimeSpan time, TimeSpan step)
    {
        for (; time > TimeSpan.Zero; time -= step)
        {
            Clock.Advance(step);
        }
    }

    private static List<string> AnswerPings(DirectConnection connection)
    {
        List<string> sent = [];
        connection.OnSent = hex =>
        {
            sent.Add(hex);
            if (hex == "00e2")
            {
                connection.Receive("00e3");
            }
        };
        return sent;
    }
}
