using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Transports.Sessions;

// RFC 7252 sections 9.1.1 and 9.1.2: what belongs together is what comes in one session, and the address says nothing.
public class SessionPeersTests : SessionTest
{
    [Fact]
    [Rfc("7252-9.1.1-1")]
    public async Task A_duplicate_in_another_session_from_the_same_address_is_a_new_request()
    {
        int runs = 0;
        Server.MapPost("/x", () => CoapResults.Text($"{++runs}"));
        await StartSessionsAsync();
        DirectSession one = Sessions.Accept(Peer);
        DirectSession two = Sessions.Accept(Peer);
        const string post = "41020001aab178";

        string first = Ask(one, post);
        string second = Ask(two, post);

        first.Ends("ff31");
        second.Ends("ff32");
        Assert.Equal(first, Ask(one, post));
        Assert.Equal(second, Ask(two, post));
        Assert.Equal(2, runs);
        Assert.Equal(2, Counters[CoapCounter.Duplicates]);
        Assert.NotSame(one.Channel, two.Channel);
        Assert.Equal(2, Endpoint.ConnectedPeers.Count);
        Assert.Equal(2, Counters[CoapCounter.ConnectionsAccepted]);
    }

    [Fact]
    [Rfc("7252-9.1.1-1")]
    public async Task An_Acknowledgement_or_Reset_in_another_session_matches_no_message()
    {
        await StartSessionsAsync();
        DirectSession one = Sessions.Accept(Peer);
        CoapPeer peer = Assert.Single(Endpoint.ConnectedPeers);
        DirectSession two = Sessions.Accept(Peer);
        Task<TimeSpan> ping = peer.PingAsync();
        string sent = Assert.Single(one.TakeSent());

        two.Receive(Reset(sent));
        two.Receive(Acknowledge(sent));

        Assert.False(ping.IsCompleted);
        Assert.Equal(2, Counters[CoapCounter.UnmatchedAcknowledgements]);
        one.Receive(Reset(sent));
        await Within(ping);
    }

    [Fact]
    [Rfc("7252-9.1.2-1")]
    public async Task Two_sessions_with_the_same_token_are_two_observers()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartSessionsAsync();
        DirectSession one = Sessions.Accept(Peer);
        DirectSession two = Sessions.Accept(Peer);
        Ask(one, Register);
        Ask(two, Register);
        Assert.Equal(2, Server.ObserverCount);

        Change(route, "1");
        Assert.Single(one.TakeSent()).Ends("ff31");
        Assert.Single(two.TakeSent()).Ends("ff31");
        one.End();

        Assert.Equal(1, Server.ObserverCount);
    }

    [Fact]
    public async Task Blocks_of_two_sessions_from_the_same_address_are_not_mixed()
    {
        List<string> bodies = [];
        Server.MapPut("/x", request =>
        {
            bodies.Add(Encoding.ASCII.GetString(request.Payload.Span));
            return CoapResults.Changed();
        });
        await StartSessionsAsync();
        DirectSession[] both = [Sessions.Accept(Peer), Sessions.Accept(Peer)];
        for (int number = 0; number < 3; number++)
        {
            for (int i = 0; i < 2; i++)
            {
                // Block1: 16 bytes, the last with fewer.
                string payload = Convert.ToHexStringLower(
                    Encoding.ASCII.GetBytes(new string((char)('a' + (3 * i) + number), number == 2 ? 3 : 16)));
                string sent = Ask(both[i], $"41030{number}01aab178d103{(number << 4) | (number == 2 ? 0 : 8):x2}ff{payload}");
                Assert.Equal(number == 2 ? "44" : "5f", sent[2..4]);
            }
        }

        Assert.Equal([new string('a', 16) + new string('b', 16) + "ccc", new string('d', 16) + new string('e', 16) + "fff"], bodies);
    }

    [Fact]
    public async Task A_handler_sees_the_identity_and_address_of_the_session_of_its_request()
    {
        List<(string? Identity, CoapAddress Address)> seen = [];
        Server.MapGet("/x", request =>
        {
            seen.Add((request.Peer.Identity?.ToString(), request.Peer.Address));
            return CoapResults.Text("1");
        });
        await StartSessionsAsync();
        Ask(Sessions.Accept(Peer, new CoapNamedPeerIdentity("alice")), Get);
        Ask(Sessions.Accept(Peer, new CoapNamedPeerIdentity("bob")), Get);
        Assert.Equal([("alice", Peer), ("bob", Peer)], seen);
    }

    [Fact]
    [Rfc("9175-2.3-4")]
    public async Task An_Echo_value_is_valid_only_in_its_own_session()
    {
        List<TimeSpan?> ages = [];
        Server.MapGet("/x", request =>
        {
            ages.Add(request.EchoAge);
            return request.EchoAge is null ? CoapResults.FreshnessRequired() : CoapResults.Text("1");
        });
        await StartSessionsAsync();
        DirectSession one = Sessions.Accept(Peer);
        DirectSession two = Sessions.Accept(Peer);
        ReadOnlyMemory<byte> echo = Read(Ask(one, Get)).Options.Echo!.Value;
        CoapMessage with = Read("40010002b178");
        with.Options.Echo = echo;
        string second = Write(with);

        Ask(two, second);
        Assert.Equal([null, null], ages);
        Assert.Equal("45", Ask(one, second)[2..4]);
        Assert.NotNull(ages[2]);
    }

    [Fact]
    public async Task A_session_stays_on_its_shard_whatever_its_address_becomes()
    {
        Options.Transports.Shards = 4;
        Server.MapGet("/x", () => CoapResults.Text("1"));
        await StartSessionsAsync();
        DirectSession session = Sessions.Accept(Peer);
        CoapShard shard = session.Channel!.Shard;
        HashSet<int> others = [];
        for (int i = 1; i < 40; i++)
        {
            CoapAddress address = CoapAddress.FromIPv4(0xc6336400 + (uint)i, (ushort)(1000 + i));
            others.Add(Sessions.Context.ShardOf(address));
            session.ReceiveFrom(address, $"4001{i:x4}b178");
            Assert.Contains(session.TakeSent(), hex => hex.StartsWith($"6045{i:x4}", Ordinal));
            Assert.Same(shard, session.Channel.Shard);
        }

        Assert.True(others.Count > 1);
        Assert.Single(Endpoint.ConnectedPeers);
        Assert.Equal(0, Endpoint.Pipelines.Sum(pipeline => pipeline.Channels.Count));
        Assert.Equal(39, Counters[CoapCounter.PeersMoved]);
    }

    [Fact]
    public async Task LastSeen_includes_every_message_of_the_session()
    {
        await StartSessionsAsync();
        DirectSession session = Sessions.Accept(Peer);
        CoapPeer peer = Assert.Single(Endpoint.ConnectedPeers);
        DateTimeOffset first = peer.LastSeen;
        Clock.Advance(FromSeconds(10));
        session.Receive("40000001");
        Assert.Equal(first + FromSeconds(10), peer.LastSeen);
    }

    [Fact]
    public async Task WhenHeardAsync_completes_on_a_message_of_the_session_and_on_its_end()
    {
        await StartSessionsAsync();
        DirectSession one = Sessions.Accept(Peer);
        CoapPeer peer = Assert.Single(Endpoint.ConnectedPeers);
        DirectSession two = Sessions.Accept(Peer);
        Task heard = peer.WhenHeardAsync();
        two.Receive(Get);
        Assert.False(heard.IsCompleted);

        one.Receive(Get);
        await Within(heard);
        Task next = peer.WhenHeardAsync();
        Assert.False(next.IsCompleted);
        await peer.ReleaseAsync();

        await Within(next);
        await Within(peer.WhenHeardAsync());
    }
}
