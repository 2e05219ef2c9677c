using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>A server that asks its peers back.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class PeerTests : EndpointTest
{
    [Fact]
    [Rfc("7252-5.4.4-1", "7252-6.4-1")]
    public async Task A_request_with_a_path_to_a_peer_has_no_Uri_Host_and_no_Uri_Port()
    {
        CoapPeer peer = await MeetAsync();
        Task<CoapResponse> request = peer.GetAsync("/3/0?a=b");
        string sent = Assert.Single(Transport.TakeSent());
        sent.Ends("b1330130" + "43613d62");
        Transport.Receive(Peer, $"6445{sent[4..8]}{sent[8..16]}");
        await Within(request).Gives(CoapCode.Content);
    }

    [Fact]
    public async Task A_request_can_be_sent_to_a_peer_that_was_evicted()
    {
        Options.Limits.Peers.NewcomerMemory = 64 * 1024;
        CoapPeer peer = await MeetAsync();
        Flood();
        Task<CoapResponse> request = peer.GetAsync("/3/0");
        string sent = Assert.Single(Transport.TakeSent());
        Transport.Receive(Peer, $"6445{sent[4..8]}{sent[8..16]}ff31");
        await Within(request).Says("1");
    }

    [Fact]
    public async Task A_peer_object_follows_its_peer_after_eviction_and_return()
    {
        Options.Limits.Peers.NewcomerMemory = 64 * 1024;
        CoapPeer peer = await MeetAsync();
        Flood();
        Clock.Advance(FromSeconds(30));
        Transport.Receive(Peer, "40010002b177");
        Transport.TakeSent();
        Assert.True(Clock.GetUtcNow() - peer.LastSeen < FromSeconds(1));
        Task<CoapResponse> request = peer.GetAsync("/3/0");
        string sent = Assert.Single(Transport.TakeSent());
        Transport.Receive(Peer, $"6445{sent[4..8]}{sent[8..16]}ff31");
        await Within(request).Says("1");
    }

    [Fact]
    public async Task Requests_and_pings_to_an_evicted_peer_fail_when_the_endpoint_stops()
    {
        Options.Limits.Peers.NewcomerMemory = 64 * 1024;
        CoapPeer peer = await MeetAsync();
        Flood();
        Task<CoapResponse> request = peer.GetAsync("/3/0");
        Task<TimeSpan> ping = peer.PingAsync();
        await Server.DisposeAsync();
        await Assert.ThrowsAsync<CoapException>(() => Within(request));
        await Assert.ThrowsAsync<CoapException>(() => Within(ping));
    }

    [Fact]
    public async Task A_request_that_cannot_be_sent_to_a_peer_fails_its_task_instead_of_throwing_from_the_call()
    {
        CoapPeer peer = await MeetAsync();
        Task<CoapResponse> tooLarge = peer.PutAsync($"/x?{string.Join('&', Enumerable.Repeat(new string('q', 250), 5))}",
            CoapContent.Text("1"));
        await Failure.OfAsync(CoapError.TooLarge, () => Within(tooLarge));
        await Server.DisposeAsync();
        Task<CoapResponse> late = peer.GetAsync("/x");
        await Assert.ThrowsAsync<CoapException>(() => Within(late));
    }

    [Fact]
    public async Task A_peer_has_a_round_trip_time_after_a_ping()
    {
        CoapPeer peer = await MeetAsync();
        Assert.Null(peer.RoundTripTime);
        Task<TimeSpan> ping = peer.PingAsync();
        string sent = Assert.Single(Transport.TakeSent());
        Clock.Advance(FromMilliseconds(80));
        Transport.Receive(Peer, $"7000{sent[4..8]}");
        await Within(ping);
        Assert.Equal(FromMilliseconds(80), peer.RoundTripTime);
    }

    [Fact]
    public async Task WhenHeardAsync_completes_when_a_datagram_of_the_peer_arrives()
    {
        CoapPeer peer = await MeetAsync();
        Task heard = peer.WhenHeardAsync();
        Task also = peer.WhenHeardAsync();
        using CancellationTokenSource stop = new();
        Task impatient = peer.WhenHeardAsync(stop.Token);
        Transport.Receive(Peer with { Port = (ushort)(Peer.Port + 1) }, "40010002b177");
        Assert.False(heard.IsCompleted);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(impatient));

        Transport.Receive(Peer, "40010001b177");

        await Within(heard);
        await Within(also);
        Assert.False(peer.WhenHeardAsync().IsCompleted);
    }

    [Fact]
    public async Task WhenHeardAsync_completes_when_the_peer_is_forgotten()
    {
        Options.Limits.Peers.NewcomerMemory = 64 * 1024;
        CoapPeer peer = await MeetAsync();
        Task heard = peer.WhenHeardAsync();

        Flood();

        await Within(heard);
    }

    private async Task<CoapPeer> MeetAsync()
    {
        CoapPeer? peer = null;
        Server.MapGet("/w", request =>
        {
            peer ??= request.Peer;
            return "w";
        });
        await StartAsync();
        Transport.Receive(Peer, "40010001b177");
        Transport.TakeSent();
        return peer!;
    }

    private void Flood()
    {
        for (int i = 0; i < 200; i++)
        {
            Transport.Receive(Other with { Port = (ushort)(i + 1) }, $"4001{i:x4}b177");
        }

        Assert.True(Server.Counters[CoapCounter.ChannelEvictions] > 50);
        Transport.TakeSent();
    }
}
