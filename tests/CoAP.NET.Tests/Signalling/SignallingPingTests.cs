using CoAP.NET.Errors;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Signalling;

/// <summary>Empty messages, Ping and Pong over reliable transports (RFC 8323 sections 3.4 and 5.4).</summary>
public sealed class SignallingPingTests : SignallingTest
{
    [Fact]
    [Rfc("8323-3.4-1")]
    public async Task Empty_messages_are_ignored()
    {
        MapX();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(Empty + GetX + Empty + GetX + Empty);
        connection.HasSent(AnswerX, AnswerX);
    }

    [Theory]
    [Rfc("8323-5.4-1", "8323-5.4-3")]
    [InlineData(Ping, Pong)]
    [InlineData("00e2", "00e3")]
    [InlineData("08e20102030405060708", "08e30102030405060708")]
    [InlineData("11e242a0", Pong)]
    [InlineData("41e242ff626164", Pong)]
    public async Task A_Ping_is_answered_by_a_Pong_with_its_token(string ping, string pong)
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(ping);
        connection.HasSent(pong);
    }

    [Fact]
    [Rfc("8323-5.4-1", "8323-5.4-3")]
    public async Task A_Pong_without_a_pending_Ping_is_ignored()
    {
        MapX();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(Pong + CustodyPong + "11e342a0" + GetX);
        connection.HasSent(AnswerX);
    }

    [Fact]
    [Rfc("8323-5.4.1-1", "8323-5.4-2")]
    public async Task A_Pong_with_Custody_follows_the_responses_to_earlier_requests()
    {
        TaskCompletionSource<CoapResult> slow = MapSlow();
        MapX();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetSlow + CustodyPing);
        connection.HasSentNothing();

        // A plain Ping waits for nothing.
        connection.Receive("01e243");
        connection.HasSent("01e343");
        await Finish(slow);
        connection.HasSent(AnswerSlow, CustodyPong);
    }

    [Fact]
    [Rfc("8323-5.4.1-1")]
    public async Task A_Pong_with_Custody_does_not_wait_for_later_requests()
    {
        TaskCompletionSource<CoapResult> first = MapSlow();
        TaskCompletionSource<CoapResult> second = new();
        Server.MapGet("/2", (CoapRequestContext _, CancellationToken _) => second.Task);
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetSlow + CustodyPing + "2101ccb132" + "11e24320");
        await Finish(first);
        connection.HasSent(AnswerSlow, CustodyPong);

        await Finish(second);
        connection.HasSent("6145ccc0ff646f6e65", "11e34320");
    }

    [Fact]
    public async Task A_Pong_with_Custody_is_sent_at_once_when_no_request_is_in_progress()
    {
        MapX();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetX + CustodyPing);
        connection.HasSent(AnswerX, CustodyPong);
    }

    [Fact]
    public async Task The_Pong_with_Custody_is_sent_after_a_pending_request_with_No_Response_ends()
    {
        TaskCompletionSource<CoapResult> slow = MapSlow();
        await StartStreamsAsync();
        DirectConnection connection = Connect();

        // No-Response 26: nothing at all.
        connection.Receive("8101bbb4736c6f77d1ea1a" + CustodyPing);
        connection.HasSentNothing();
        await Finish(slow);
        connection.HasSent(CustodyPong);
    }

    [Fact]
    public async Task Custody_Pings_beyond_the_limit_are_answered_at_once_without_Custody()
    {
        TaskCompletionSource<CoapResult> slow = MapSlow();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetSlow + string.Concat(Enumerable.Repeat(CustodyPing, 17)));
        connection.HasSent(Pong);
        await Finish(slow);
        Assert.Equal([AnswerSlow, .. Enumerable.Repeat(CustodyPong, 16)], connection.TakeSent());
    }

    [Fact]
    public async Task An_outgoing_ping_ends_with_its_Pong()
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        Task<TimeSpan> ping = CoapPeer.Of(connection.Channel!).PingAsync();
        string sent = Assert.Single(connection.TakeSent());
        sent.Begins("04e2");
        Clock.Advance(FromMilliseconds(30));
        connection.Receive("04e3ffffffff");
        Assert.False(ping.IsCompleted);
        connection.Receive("04e3" + TokenOf(sent));
        Assert.Equal(FromMilliseconds(30), await Within(ping));
    }

    [Fact]
    public async Task Concurrent_outgoing_pings_are_distinguished_by_their_tokens()
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        CoapPeer peer = CoapPeer.Of(connection.Channel!);
        Task<TimeSpan> first = peer.PingAsync();
        Task<TimeSpan> second = peer.PingAsync();
        string[] sent = connection.TakeSent();
        connection.Receive("04e3" + TokenOf(sent[1]));
        await Within(second);
        Assert.False(first.IsCompleted);
        connection.Receive("04e3" + TokenOf(sent[0]));
        await Within(first);
    }

    [Fact]
    public async Task A_Pong_without_a_token_ends_the_oldest_outgoing_ping()
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        CoapPeer peer = CoapPeer.Of(connection.Channel!);
        Task<TimeSpan> first = peer.PingAsync();
        Clock.Advance(FromMilliseconds(1));
        Task<TimeSpan> second = peer.PingAsync();
        connection.Receive("10e320");
        await Within(first);
        Assert.False(second.IsCompleted);
        connection.Receive("10e320");
        await Within(second);
    }

    [Fact]
    public async Task A_Pong_without_a_token_answers_the_keep_alive_Ping_first()
    {
        Options.Transports.Streams.KeepAliveInterval = FromSeconds(10);
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        Clock.Advance(FromSeconds(11));
        connection.HasSent("00e2");
        Task<TimeSpan> ping = CoapPeer.Of(connection.Channel!).PingAsync();
        connection.Receive("00e3");
        Assert.False(ping.IsCompleted);
        connection.Receive("00e3");
        await Within(ping);
    }

    [Fact]
    public async Task An_outgoing_ping_without_a_Pong_times_out()
    {
        Options.Transports.Streams.KeepAliveInterval = Timeout.InfiniteTimeSpan;
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        Task<TimeSpan> ping = CoapPeer.Of(connection.Channel!).PingAsync();
        Clock.Advance(FromSeconds(19.9));
        Assert.False(ping.IsCompleted);
        Clock.Advance(FromSeconds(0.2));
        Assert.Equal(CoapTimeoutReason.NoResponse, (await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(ping))).Reason);

        // The Pong that comes too late meets nobody.
        connection.Receive("04e3" + TokenOf(connection.TakeSent()[0]) + Ping);
        connection.HasSent(Pong);
    }

    [Theory]
    [InlineData(3)]
    [InlineData(60)]
    public async Task An_outgoing_ping_with_its_own_Timeout_ends_after_that_Timeout(int seconds)
    {
        Options.Transports.Streams.KeepAliveInterval = Timeout.InfiniteTimeSpan;
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        Task<TimeSpan> ping = CoapPeer.Of(connection.Channel!).PingAsync(FromSeconds(seconds));
        Clock.Advance(FromSeconds(seconds - 0.1));
        Assert.False(ping.IsCompleted);
        Clock.Advance(FromSeconds(0.2));

        CoapTimeoutException error = await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(ping));

        Assert.Equal((CoapTimeoutStep.Pong, CoapTimeLimitKind.RequestTimeout, FromSeconds(seconds)),
            (error.Awaited, error.EndedBy, error.Limit));
        error.Mentions($"no Pong arrived within the Timeout of {seconds} s");
    }

    [Fact]
    public async Task An_outgoing_ping_fails_with_its_connection()
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        Task<TimeSpan> ping = CoapPeer.Of(connection.Channel!).PingAsync();
        connection.Break(new IOException("gone"));
        Assert.Equal(CoapError.Lost, (await Assert.ThrowsAsync<CoapConnectionException>(() => Within(ping))).Error);
    }
}
