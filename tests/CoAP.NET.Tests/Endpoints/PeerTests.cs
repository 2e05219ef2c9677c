using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>A server that asks its peers back.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class PeerTests : EndpointTest
{
    [Fact]
    [Rfc("7252-5.4.4-1", "7252-6.4-1")]
    public async Task A_path_sent_to_a_peer_names_neither_host_nor_port()
    {
        CoapPeer peer = await MeetAsync();
        Task<CoapResponse> request = peer.GetAsync("/3/0?a=b");
        string sent = Assert.Single(Transport.TakeSent());
        Assert.EndsWith("b1330130" + "43613d62", sent, StringComparison.Ordinal);
        Transport.Receive(Peer, $"6445{sent[4..8]}{sent[8..16]}");
        Assert.Equal(CoapCode.Content, (await Within(request)).Code);
    }

    [Fact]
    public async Task A_peer_that_many_others_pushed_out_can_still_be_asked()
    {
        Options.Limits.NewcomerBytes = 64 * 1024;
        CoapPeer peer = await MeetAsync();
        Flood();
        Task<CoapResponse> request = peer.GetAsync("/3/0");
        string sent = Assert.Single(Transport.TakeSent());
        Transport.Receive(Peer, $"6445{sent[4..8]}{sent[8..16]}ff31");
        Assert.Equal("1", (await Within(request)).GetText());
    }

    [Fact]
    public async Task A_peer_that_was_pushed_out_and_spoke_again_is_one_peer()
    {
        Options.Limits.NewcomerBytes = 64 * 1024;
        CoapPeer peer = await MeetAsync();
        Flood();
        Clock.Advance(TimeSpan.FromSeconds(30));
        Transport.Receive(Peer, "40010002b177");
        Transport.TakeSent();
        Assert.True(Clock.GetUtcNow() - peer.LastSeen < TimeSpan.FromSeconds(1));
        Task<CoapResponse> request = peer.GetAsync("/3/0");
        string sent = Assert.Single(Transport.TakeSent());
        Transport.Receive(Peer, $"6445{sent[4..8]}{sent[8..16]}ff31");
        Assert.Equal("1", (await Within(request)).GetText());
    }

    [Fact]
    public async Task What_a_pushed_out_peer_is_asked_fails_when_the_endpoint_stops()
    {
        Options.Limits.NewcomerBytes = 64 * 1024;
        CoapPeer peer = await MeetAsync();
        Flood();
        Task<CoapResponse> request = peer.GetAsync("/3/0");
        Task<TimeSpan> ping = peer.PingAsync();
        await Server.DisposeAsync();
        await Assert.ThrowsAsync<CoapException>(() => Within(request));
        await Assert.ThrowsAsync<CoapException>(() => Within(ping));
    }

    [Fact]
    public async Task What_cannot_be_sent_to_a_peer_fails_the_task_and_not_the_call()
    {
        CoapPeer peer = await MeetAsync();
        Task<CoapResponse> tooLarge = peer.PutAsync($"/x?{string.Join('&', Enumerable.Repeat(new string('q', 250), 5))}",
            CoapContent.Text("1"));
        await Assert.ThrowsAsync<CoapTooLargeException>(() => Within(tooLarge));
        await Server.DisposeAsync();
        Task<CoapResponse> late = peer.GetAsync("/x");
        await Assert.ThrowsAsync<CoapException>(() => Within(late));
    }

    [Fact]
    public async Task A_peer_that_was_asked_has_a_round_trip_time()
    {
        CoapPeer peer = await MeetAsync();
        Assert.Null(peer.RoundTripTime);
        Task<TimeSpan> ping = peer.PingAsync();
        string sent = Assert.Single(Transport.TakeSent());
        Clock.Advance(TimeSpan.FromMilliseconds(80));
        Transport.Receive(Peer, $"7000{sent[4..8]}");
        await Within(ping);
        Assert.Equal(TimeSpan.FromMilliseconds(80), peer.RoundTripTime);
    }

    [Fact]
    public async Task Whoever_waits_for_a_peer_is_told_when_something_of_it_comes()
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
    public async Task Whoever_waits_for_a_peer_that_is_forgotten_does_not_wait_for_ever()
    {
        Options.Limits.NewcomerBytes = 64 * 1024;
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
