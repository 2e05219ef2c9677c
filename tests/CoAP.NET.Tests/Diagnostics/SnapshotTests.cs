using System.Net;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Diagnostics;

public sealed class SnapshotTests : EndpointTest
{
    private CoapEndpoint Endpoint => Server.Endpoint;

    [Fact]
    public async Task A_snapshot_shows_pending_queued_observed_and_dropped_messages_for_each_peer()
    {
        Options.Name = "field";
        TaskCompletionSource<CoapResult> late = new();
        Server.MapGet("/slow", (CoapRequestContext _, CancellationToken _) => late.Task);
        Server.MapGet("/o", () => "1").Observable();
        await StartAsync();
        Transport.Receive(Peer, "40010001b4736c6f77");
        Transport.Receive(Peer, "4101000255605" + "16f");
        Transport.Receive(Peer, "40010003f0");
        Clock.Advance(FromSeconds(1));
        Task<CoapResponse> first = Endpoint.SendAsync(new CoapRequest(CoapMethod.Put, "coap://192.0.2.2:40001/a"));
        Task<CoapResponse> second = Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.2:40001/b"));
        Clock.Advance(FromSeconds(4));

        CoapDiagnosticSnapshot snapshot = Endpoint.GetSnapshot();
        Assert.Equal(("field", Clock.GetUtcNow(), 1, 1, false),
            (snapshot.Name, snapshot.Time, snapshot.ActiveRequests, snapshot.Observers, snapshot.IsTruncated));
        Assert.Equal(1, snapshot.Counters["FormatErrors"]);
        Assert.DoesNotContain("KernelDrops", snapshot.Counters.Keys);
        Assert.Equal(new CoapShardSnapshot(0, 2, 1, 1, 0, 1), Assert.Single(snapshot.Shards));
        Assert.Equal(2, snapshot.Peers.Count);
        CoapLimitSnapshot bound = snapshot.Bounds[0];
        Assert.Equal(("Peers.MaxCount", 2, new CoapLimits().Peers.MaxCount, false), (bound.Name, bound.Used, bound.Limit, bound.IsBytes));
        Assert.Equal(KeyValuePair.Create("/o", 1), Assert.Single(snapshot.ObservedRoutes));

        CoapDiagnosticSnapshot withoutPeers = Endpoint.GetSnapshot(maxPeers: 0);
        Assert.Equal((0, true), (withoutPeers.Peers.Count, withoutPeers.IsTruncated));

        CoapPeerSnapshot device = Assert.Single(snapshot.Peers, static peer => peer.RemoteEndPoint.Port == 40_000);
        Assert.Equal(("coap", IPEndPoint.Parse("192.0.2.1:40000"), IPEndPoint.Parse("127.0.0.1:5683")),
            (device.Scheme, device.RemoteEndPoint, device.LocalEndPoint));
        Assert.Equal((1, 1, 0), (device.RunningRequests, device.Observers, device.Outstanding));
        CoapPeerLastDropSnapshot drop = Assert.IsType<CoapPeerLastDropSnapshot>(device.LastDrop);
        Assert.Equal(("FormatErrors", Clock.GetUtcNow() - FromSeconds(5), 1), (drop.Reason, drop.Time, drop.Count));
        Assert.Equal(Clock.GetUtcNow() - FromSeconds(5), device.LastSeen);

        CoapPeerSnapshot asked = Assert.Single(snapshot.Peers, static peer => peer.RemoteEndPoint.Port == 40_001);
        Assert.Equal((1, 1, 2), (asked.Outstanding, asked.Queued, asked.AwaitedResponses));
        Assert.Equal([CoapPendingState.Outstanding, CoapPendingState.Queued], asked.Pending.Select(static pending => pending.State));
        Assert.Equal((CoapCode.Put, 2), (asked.Pending[0].Code, asked.Pending[0].Attempts));
        Assert.InRange(asked.Pending[0].NextAttempt!.Value, TimeSpan.Zero, FromSeconds(6));
        Assert.Null(asked.Pending[1].MessageId);
        Assert.Equal((null, FromSeconds(2)), (asked.RoundTripTime, asked.RetransmissionTimeout));
        Assert.Null(asked.LastDrop);
        Assert.Null(asked.LastSeen);
        late.SetResult(CoapResults.Text("x"));
        _ = (first, second);
    }

    [Fact]
    public async Task A_snapshot_shows_an_acknowledged_request_as_awaiting_its_response_with_the_round_trip_time()
    {
        await StartAsync();
        Task<CoapResponse> response = Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.2:40001/a"));
        string sent = Assert.Single(Transport.TakeSent());
        Clock.Advance(FromMilliseconds(300));
        Transport.Receive(Other, $"6000{sent[4..8]}");
        CoapPeerSnapshot peer = Assert.Single(Endpoint.GetSnapshot().Peers);
        Assert.Equal(CoapPendingState.AwaitingResponse, Assert.Single(peer.Pending).State);
        Assert.Equal((0, 1, FromMilliseconds(300)), (peer.Outstanding, peer.AwaitedResponses, peer.RoundTripTime));
        _ = response;
    }

    [Fact]
    public async Task A_snapshot_lists_the_most_recent_peers_or_the_peers_of_an_address()
    {
        Options.Transports.Shards = 3;
        Server.MapGet("/", () => "x");
        await StartAsync();
        for (uint i = 0; i < 50; i++)
        {
            Transport.Receive(CoapAddress.FromIPv4(0xc0000200 + (i / 2), (ushort)(1000 + i)), "50010001");
            Clock.Advance(FromSeconds(1));
        }

        CoapDiagnosticSnapshot some = Endpoint.GetSnapshot(maxPeers: 5);
        Assert.True(some.IsTruncated);
        Assert.Equal([1049, 1048, 1047, 1046, 1045], some.Peers.Select(static peer => peer.RemoteEndPoint.Port));
        Assert.Equal(50, some.Shards.Sum(static shard => shard.Peers));
        CoapDiagnosticSnapshot one = Endpoint.GetSnapshot(IPAddress.Parse("192.0.2.7"));
        Assert.False(one.IsTruncated);
        Assert.Equal([1015, 1014], one.Peers.Select(static peer => peer.RemoteEndPoint.Port));
        Assert.Throws<ArgumentOutOfRangeException>(() => Endpoint.GetSnapshot(maxPeers: -1));
    }

    [Fact]
    public async Task A_peer_without_a_dropped_message_allocates_no_drop_note()
    {
        Server.MapGet("/", () => "x");
        await StartAsync();
        Exchange("40010001");
        Assert.All(Endpoint.Pipelines[0].Channels.All(), static channel => Assert.Null(LastDrop.Of(channel)), throwIfEmpty: true);
        Transport.Receive(Peer, "40010002f0");
        Channels_have_one_note_however_much_is_dropped();
    }

    private void Channels_have_one_note_however_much_is_dropped()
    {
        CoAP.NET.CoapChannel channel = Assert.Single(Endpoint.Pipelines[0].Channels.All());
        LastDrop note = LastDrop.Of(channel)!;
        Assert.Equal(1, note.Count);
        Assert.Equal(0, Allocations.Least(() => channel.NoteDrop(CoapCounter.Ignored)));
        Assert.Same(note, LastDrop.Of(channel));
        Assert.Equal((CoapCounter.Ignored, 1 + Allocations.Runs), (note.Reason, note.Count));
    }
}
