using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Transports.Sessions;

// There is no word in a session that asks a peer to finish: what is under way ends, then it is closed.
public class SessionReleaseTests : SessionTest
{
    [Fact]
    public async Task ReleaseAsync_closes_an_idle_session_immediately()
    {
        Server.MapGet("/x", () => CoapResults.Text("1"));
        await StartSessionsAsync();
        DirectSession session = Sessions.Accept(Peer);
        Ask(session, Get);
        CoapPeer peer = Assert.Single(Endpoint.ConnectedPeers);

        await Within(peer.ReleaseAsync());

        Assert.True(session.IsClosed);
        Assert.Equal(CoapError.ClosedLocally, Assert.IsType<CoapConnectionException>(session.CloseReason).Error);
        Assert.Empty(Endpoint.ConnectedPeers);
        AssertFreed(session.Channel!);
        await Within(peer.ReleaseAsync());
        Assert.Equal(1, session.Closings);
    }

    [Fact]
    public async Task A_released_session_is_closed_after_the_exchanges_in_progress_end()
    {
        TaskCompletionSource<CoapResult> answer = new(RunContinuationsAsynchronously);
        Server.MapGet("/x", (_, _) => new ValueTask<CoapResult>(answer.Task));
        await StartSessionsAsync();
        DirectSession session = Sessions.Accept(Peer);
        CoapPeer peer = Assert.Single(Endpoint.ConnectedPeers);
        session.Receive(Get);
        Task<CoapResponse> asked = peer.GetAsync("/3/0");
        string request = Assert.Single(session.TakeSent());

        Task released = peer.ReleaseAsync();
        Clock.Advance(FromSeconds(1));
        Assert.False(session.IsClosed);
        Assert.Empty(Endpoint.ConnectedPeers);
        answer.SetResult(CoapResults.Text("1"));
        await UntilAsync(() => Endpoint.GetSnapshot().ActiveRequests == 0);
        await SettleAsync();
        Clock.Advance(FromMilliseconds(200));
        Assert.False(session.IsClosed);
        session.Receive(Content(request));
        await Within(asked);

        // The answer was a separate one, which is Confirmable.
        string separate = Assert.Single(session.TakeSent(), hex => hex.StartsWith("4045", Ordinal));
        Clock.Advance(FromMilliseconds(200));
        Assert.False(session.IsClosed);
        session.Receive(Acknowledge(separate));
        Clock.Advance(FromMilliseconds(200));

        await Within(released);
        Assert.True(session.IsClosed);
        AssertFreed(session.Channel!);

        // Until then the memory of what was answered knows when its oldest page is over.
        Clock.Advance(FromMinutes(5));
        Assert.Equal(0, session.Channel!.Shard.Wheel.Count);
    }

    [Fact]
    public async Task Non_confirmable_notifications_do_not_delay_ReleaseAsync()
    {
        CoapRouteHandlerBuilder route = MapState(false);
        await StartSessionsAsync();
        DirectSession session = Sessions.Accept(Peer);
        Ask(session, Register);
        Change(route, "1");
        Assert.Single(session.TakeSent()).Begins("5");

        await Within(Assert.Single(Endpoint.ConnectedPeers).ReleaseAsync());

        Assert.True(session.IsClosed);
        Assert.Equal(0, Server.ObserverCount);
    }

    [Fact]
    public async Task A_session_is_closed_after_ReleaseTimeout_at_the_latest()
    {
        Options.Transports.Streams.ReleaseTimeout = FromSeconds(3);
        Server.MapGet("/x", (_, _) => new ValueTask<CoapResult>(new TaskCompletionSource<CoapResult>().Task));
        await StartSessionsAsync();
        DirectSession session = Sessions.Accept(Peer);
        session.Receive(Get);
        Task released = Assert.Single(Endpoint.ConnectedPeers).ReleaseAsync();
        Clock.Advance(FromSeconds(2.9));
        Assert.False(session.IsClosed);
        Clock.Advance(FromSeconds(0.2));
        Assert.True(session.IsClosed);
        await Within(released);
    }

    [Fact]
    public async Task Options_of_a_Release_message_are_refused()
    {
        await StartSessionsAsync();
        DirectSession session = Sessions.Accept(Peer);
        CoapPeer peer = Assert.Single(Endpoint.ConnectedPeers);
        await Assert.ThrowsAsync<InvalidOperationException>(() => peer.ReleaseAsync(FromSeconds(1)));
        await Assert.ThrowsAsync<InvalidOperationException>(() => peer.ReleaseAsync(alternativeAddresses: ["192.0.2.2"]));
        Assert.False(session.IsClosed);
    }

    [Fact]
    public async Task A_request_after_ReleaseAsync_opens_a_new_session()
    {
        AnswerAll();
        await StartSessionsAsync();
        await Within(Endpoint.GetAsync(Target));
        await Within(Assert.Single(Endpoint.ConnectedPeers).ReleaseAsync());
        await Within(Endpoint.GetAsync(Target));
        Assert.Equal(2, Sessions.OpenedByUs.Count);
        Assert.True(Sessions.OpenedByUs[0].IsClosed);
    }

    [Fact]
    public async Task A_stopping_endpoint_closes_each_session_after_its_last_exchange()
    {
        TaskCompletionSource<CoapResult> answer = new(RunContinuationsAsynchronously);
        Server.MapGet("/x", (_, _) => new ValueTask<CoapResult>(answer.Task));
        await StartSessionsAsync();
        DirectSession busy = Sessions.Accept(Peer);
        DirectSession idle = Sessions.Accept(Other);
        busy.Receive(Get);

        Task stopped = Server.StopAsync();
        Assert.Equal("a3", Ask(idle, Get)[2..4]);
        answer.SetResult(CoapResults.Text("1"));
        await PassAsync(stopped);

        Assert.Contains(busy.TakeSent(), hex => hex.Contains("45", Ordinal));
        Assert.True(busy.IsClosed && idle.IsClosed);
        Assert.True(Sessions.IsDisposed);
        Assert.Equal(0, Endpoint.Connections.Count);
        DirectSession late = new(Sessions, Peer, DirectSessionTransport.Local, isInitiator: false);
        Assert.False(Sessions.Context.Opened(late));
        Assert.Equal(1, Counters[CoapCounter.ConnectionsRefused]);
    }
}
