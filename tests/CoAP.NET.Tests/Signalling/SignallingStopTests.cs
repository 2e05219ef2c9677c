using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Testing;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Signalling;

// What becomes of connections when the endpoint stops: law 5 of the mesh, RFC 8323 section 5.5.
[Collection(VirtualTimeCollection.Name)]
public sealed class SignallingStopTests : SignallingTest
{
    [Fact]
    [Rfc("8323-5.5-1")]
    public async Task StopAsync_completes_running_requests_then_sends_Release_and_closes()
    {
        TaskCompletionSource<CoapResult> slow = MapSlow();
        MapX();
        await StartStreamsAsync();
        DirectConnection busy = Connect();
        DirectConnection other = Connect();
        TaskCompletionSource released = new(RunContinuationsAsynchronously);
        other.OnSent = frame =>
        {
            if (frame == Release)
            {
                released.TrySetResult();
            }
        };
        busy.Receive(GetSlow);
        Task stop = Server.StopAsync();
        busy.Receive(GetX);
        Assert.Single(busy.TakeSent()).Begins("31a3aa");
        other.HasSentNothing();
        Assert.False(Streams.Accept().Open());

        await Finish(slow);
        await Within(released.Task);

        // The thread that releases one goes on with the next, and may still have the turn to send on the one that it has released.
        await SettleAsync();
        busy.HasSent(AnswerSlow, Release);
        other.Receive(GetX);
        other.TakeSent()[^1].Begins("31a3aa");
        busy.Break();
        Assert.False(stop.IsCompleted);
        other.Break();
        await Within(stop);
        Assert.Equal(2, Count(CoapCounter.ConnectionsClosed));
        Assert.Equal(0, Count(CoapCounter.ConnectionsLost));
    }

    [Fact]
    public async Task Connections_are_answered_during_a_stop_even_with_AnswerWhileStopping_false()
    {
        Options.Processes.AnswerWhileStopping = false;
        MapSlow();
        MapX();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetSlow);
        Task stop = Server.StopAsync();
        connection.Receive(GetX);
        Assert.Single(connection.TakeSent()).Begins("31a3aa");
        await Server.DisposeAsync();
        await Within(stop);
    }

    [Fact]
    public async Task Connections_that_their_peers_do_not_close_are_closed_within_the_grace_period()
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        Task stop = Server.StopAsync();
        await Clock.AdvanceUntilAsync(stop, FromSeconds(10));
        connection.HasSent(Release, Empty);
        Assert.True(connection.IsClosed);
    }

    [Fact]
    public async Task Disposing_the_server_sends_5_03_and_a_Release_and_closes_at_once()
    {
        MapSlow();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetSlow);
        await Within(Server.DisposeAsync().AsTask());
        string[] sent = connection.TakeSent();
        Assert.Equal(2, sent.Length);
        Assert.Equal("a3", sent[0][2..4]);
        sent[0].Ends("d10105");
        Assert.Equal(Release, sent[1]);
        Assert.True(connection.HasSentLast);
    }

    [Fact]
    public async Task Outgoing_requests_get_their_responses_during_a_stop()
    {
        await StartStreamsAsync();
        (DirectConnection connection, CoapPeer peer) = await OpenAsync();
        (Task<CoapResponse> response, string token) = Ask(connection, peer);
        TaskCompletionSource released = new(RunContinuationsAsynchronously);
        connection.OnSent = frame => released.TrySetResult();
        Task stop = Server.StopAsync();
        await Within(released.Task);
        await SettleAsync();
        connection.Receive(ContentFor(token));
        await Within(response).Gives(CoapCode.Content);
        connection.Break();
        await Within(stop);
    }
}
