using CoAP.NET.Diagnostics;
using CoAP.NET.Signalling;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Signalling;

// RFC 8323 section 5.5, and the half-close, which ends a connection in the same way.
public sealed class SignallingReleaseTests : SignallingTest
{
    [Fact]
    [Rfc("8323-5.5-1")]
    public async Task A_released_connection_without_a_request_in_progress_is_closed()
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(Release);
        connection.HasSent(Empty);
        Assert.True(connection.HasSentLast);
    }

    [Fact]
    [Rfc("8323-5.5-1")]
    public async Task A_request_received_before_a_Release_is_answered_before_the_connection_ends()
    {
        TaskCompletionSource<CoapResult> slow = MapSlow();
        MapX();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetSlow + Release + Ping);
        connection.HasSent(Pong);
        Assert.False(connection.IsClosed);

        // The peer is told not to ask any more, but if it does it is answered as long as the connection stays.
        connection.Receive(GetX);
        connection.HasSent(AnswerX);
        await Finish(slow);
        connection.HasSent(AnswerSlow, Empty);
        Assert.True(connection.IsClosed);
    }

    [Fact]
    [Rfc("8323-5.5-1", "8323-5.5-4")]
    public async Task After_a_Release_of_the_peer_pending_requests_complete_and_new_requests_fail()
    {
        await StartStreamsAsync();
        (DirectConnection connection, CoapPeer peer) = await OpenAsync();
        (Task<CoapResponse> before, string token) = Ask(connection, peer);
        connection.Receive(Release);
        Task<CoapResponse> after = peer.SendAsync(new CoapRequest(CoapMethod.Get, "/z"));
        Assert.Equal(CoapError.Released, (await Assert.ThrowsAsync<CoapConnectionException>(() => Within(after))).Error);
        connection.HasSentNothing();

        connection.Receive(ContentFor(token));
        await Within(before).Gives(CoapCode.Content);
        connection.HasSent(Empty);
        Assert.True(connection.IsClosed);
    }

    [Fact]
    [Rfc("8323-5.5-1")]
    public async Task A_request_without_a_response_in_time_after_a_Release_fails_as_released()
    {
        await StartStreamsAsync();
        (DirectConnection connection, CoapPeer peer) = await OpenAsync();
        (Task<CoapResponse> response, _) = Ask(connection, peer);
        connection.Receive(Release);
        Clock.Advance(FromSeconds(4.9));
        Assert.False(response.IsCompleted);
        Clock.Advance(FromSeconds(0.2));
        Assert.Equal(CoapError.Released, (await Assert.ThrowsAsync<CoapConnectionException>(() => Within(response))).Error);
        Assert.True(connection.IsClosed);
    }

    [Theory]
    [Rfc("8323-5.5-2", "8323-5.5-3")]
    [InlineData("d007e42d036578616d706c652e6f72673a35363833213c", "example.org:5683", 60)]
    [InlineData("80e423613a3103623a32", "a:1 b:2", null)]
    [InlineData(Release, "", null)]
    [InlineData("40e4ff627965", "", null)]
    public async Task The_Alternative_Address_and_Hold_Off_of_a_Release_are_stored(string release, string addresses, int? holdOff)
    {
        MapSlow();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetSlow + release);
        CoAP.NET.Signalling.StreamState state =
            Assert.IsType<CoAP.NET.Signalling.StreamState>(ConnectionSignallingState.Of(connection.Channel!));
        Assert.True(state.IsReleasing);
        Assert.Equal(addresses, string.Join(' ', state.AlternativeAddresses));
        Assert.Equal(holdOff, (int?)state.HoldOff?.TotalSeconds);
    }

    [Fact]
    [Rfc("8323-5.5-2")]
    public async Task ReleaseAsync_releases_a_connection()
    {
        TaskCompletionSource<CoapResult> slow = MapSlow();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetSlow);
        Task released = CoapPeer.Of(connection.Channel!).ReleaseAsync(FromSeconds(59.5), ["example.org:5683"]);
        connection.HasSent("d007e42d036578616d706c652e6f72673a35363833213c");
        await Finish(slow);
        connection.HasSent(AnswerSlow);
        Assert.False(released.IsCompleted);

        // The peer closes, as a peer normally does.
        connection.Break();
        await Within(released);
    }

    [Fact]
    public async Task A_connection_that_its_peer_does_not_close_after_ReleaseAsync_is_closed_after_a_timeout()
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        CoapPeer peer = CoapPeer.Of(connection.Channel!);
        Task released = peer.ReleaseAsync();
        Task again = peer.ReleaseAsync();
        connection.HasSent(Release);
        Clock.Advance(FromSeconds(4.9));
        Assert.False(connection.IsClosed);
        Clock.Advance(FromSeconds(0.2));
        connection.HasSent(Empty);
        await Within(released);
        await Within(again);
        await Within(peer.ReleaseAsync());
    }

    [Fact]
    public async Task Two_crossing_Releases_close_the_connection_at_once()
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        Task released = CoapPeer.Of(connection.Channel!).ReleaseAsync();
        connection.Receive(Release);
        connection.HasSent(Release, Empty);
        await Within(released);
    }

    [Fact]
    [Rfc("8323-5.5-5")]
    public async Task After_ReleaseAsync_pending_requests_complete_and_new_requests_fail()
    {
        await StartStreamsAsync();
        (DirectConnection connection, CoapPeer peer) = await OpenAsync();
        (Task<CoapResponse> before, string token) = Ask(connection, peer);
        Task released = peer.ReleaseAsync();
        Task<CoapResponse> after = peer.SendAsync(new CoapRequest(CoapMethod.Get, "/z"));
        Assert.Equal(CoapError.ClosedLocally, (await Assert.ThrowsAsync<CoapConnectionException>(() => Within(after))).Error);
        connection.HasSent(Release);
        connection.Receive(ContentFor(token));
        await Within(before).Gives(CoapCode.Content);
        connection.Break();
        await Within(released);
    }

    [Fact]
    public async Task ReleaseAsync_of_a_datagram_peer_throws()
    {
        CoapPeer? peer = null;
        Server.MapGet("/x", request => CoapResults.Text((peer = request.Peer).Scheme));
        await StartAsync();
        Exchange("40010001b178");
        await Assert.ThrowsAsync<InvalidOperationException>(() => peer!.ReleaseAsync());
    }

    [Theory]
    [InlineData(-1, "a")]
    [InlineData(16_777_216, "a")]
    [InlineData(1, "")]
    public async Task ReleaseAsync_refuses_options_out_of_range(int seconds, string address)
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            () => CoapPeer.Of(connection.Channel!).ReleaseAsync(FromSeconds(seconds), [address]));
        connection.HasSentNothing();
    }

    [Fact]
    public async Task Requests_received_before_a_half_close_are_answered()
    {
        TaskCompletionSource<CoapResult> slow = MapSlow();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetSlow);
        connection.ReceiveEnd();
        connection.HasSentNothing();
        Assert.False(connection.IsClosed);
        await Finish(slow);
        connection.HasSent(AnswerSlow, Empty);
        Assert.True(connection.IsClosed);
    }

    [Fact]
    public async Task A_half_closed_connection_is_closed_after_a_timeout()
    {
        MapSlow();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetSlow);
        connection.ReceiveEnd();
        Clock.Advance(FromSeconds(5.1));
        connection.HasSent(Empty);
        Assert.True(connection.IsClosed);
    }

    [Theory]
    [InlineData(BareCsm)]
    [InlineData(null)]
    public async Task A_half_close_by_the_peer_fails_pending_outgoing_requests(string? csm)
    {
        await StartStreamsAsync();
        (DirectConnection connection, CoapPeer peer) = await OpenAsync(csm);
        (Task<CoapResponse> response, _) = Ask(connection, peer);
        connection.ReceiveEnd();
        Assert.Equal(CoapError.Closed, (await Assert.ThrowsAsync<CoapConnectionException>(() => Within(response))).Error);
        Assert.True(connection.IsClosed);
    }

    [Fact]
    [Rfc("8323-3.4-2")]
    public async Task The_loss_of_a_connection_fails_its_requests_and_removes_its_observers()
    {
        Server.MapGet("/obs", () => CoapResults.Text("1")).Observable();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive("51011060536f6273");
        Assert.Equal(1, Server.ObserverCount);
        connection.TakeSent();
        (Task<CoapResponse> response, _) = Ask(connection, CoapPeer.Of(connection.Channel!));
        connection.Break(new IOException("reset"));
        Assert.Equal(CoapError.Lost, (await Assert.ThrowsAsync<CoapConnectionException>(() => Within(response))).Error);
        Assert.Equal(0, Server.ObserverCount);
        Assert.Equal(1, Count(CoapCounter.ConnectionsLost));
        Server.Notify("/obs");
        connection.HasSentNothing();
    }

    [Fact]
    [Rfc("8323-5.4.1-1")]
    public async Task A_due_Custody_Pong_is_sent_before_the_end_requested_by_a_Release()
    {
        TaskCompletionSource<CoapResult> answer = MapSlow();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetSlow + CustodyPing);
        CoAP.NET.CoapChannel channel = connection.Channel!;
        Task finished;
        channel.Shard.Enter();
        try
        {
            // The answer leaves, and its thread then waits for the lock to say that nothing is under way any more; Release is first.
            finished = Finish(answer);
            Assert.True(SpinWait.SpinUntil(() => channel.Connection!.Requests!.Count == 0, FromMinutes(2)));
            CoAP.NET.CoapInbound release = new() { Channel = channel, Message = new CoapMessage(CoapCode.Release) };
            Server.Endpoint.Pipelines[0].Signalling.Receive(in release, channel.Shard.Environment.Now);
        }
        finally
        {
            channel.Shard.ExitAndSend();
        }

        await Within(finished);
        connection.HasSent(AnswerSlow, CustodyPong, Empty);
        Assert.True(connection.IsClosed);
    }
}
