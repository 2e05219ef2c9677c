using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Transports.Sessions;

// RFC 9146 section 6: a peer whose address changes is the same peer, and gets little until it has shown that it receives there.
public class SessionMovingTests : SessionTest
{
    private const int Free = 136;

    // CON GET /b, 6 bytes.
    private const string GetBig = "40010001b162";

    [Fact]
    [Rfc("9146-6-1")]
    public async Task A_move_raises_PeerMoved_and_the_endpoint_pings_the_new_address()
    {
        List<CoapPeerMove> moves = [];
        Endpoint.PeerMoved += (_, move) => moves.Add(move);
        await StartWithBigAsync();
        DirectSession session = Sessions.Accept(Peer);
        CoapPeer peer = Assert.Single(Endpoint.ConnectedPeers);
        Assert.True(peer.IsVerified);

        session.ReceiveFrom(s_elsewhere, null);

        CoapPeerMove move = Assert.Single(moves);
        Assert.Equal((peer, Peer.ToIPEndPoint(), s_elsewhere.ToIPEndPoint()), (move.Peer, move.From, move.To));
        Assert.Equal(1, Counters[CoapCounter.PeersMoved]);
        Assert.False(peer.IsVerified);
        Assert.Equal(s_elsewhere, peer.Address);
        (string ping, CoapAddress to) = Assert.Single(session.TakeAll());
        Assert.True(IsPing(ping));
        Assert.Equal(s_elsewhere, to);

        session.Receive(Reset(ping));
        await UntilAsync(() => peer.IsVerified);
        Assert.Equal(1, Counters[CoapCounter.AddressesVerified]);
        Assert.Same(peer, Assert.Single(Endpoint.ConnectedPeers));
    }

    [Fact]
    [Rfc("9146-6-1")]
    public async Task An_unverified_moved_peer_gets_at_most_three_times_its_sent_bytes()
    {
        await StartWithBigAsync();
        DirectSession session = Sessions.Accept(Peer);
        Assert.InRange(Ask(session, GetBig).Length / 2, 1000, 1100);
        session.ReceiveFrom(s_elsewhere, null);
        string ping = Assert.Single(session.TakeSent());

        for (int i = 2; i < 20; i++)
        {
            session.Receive($"4001{i:x4}b162");
            Assert.InRange(session.TakeSent().Sum(hex => hex.Length / 2), 1, Free);
        }

        // Also for a duplicate of what was answered before.
        session.Receive(GetBig);
        Assert.InRange(session.TakeSent().Sum(hex => hex.Length / 2), 0, Free);

        // A large request is answered by three times as much.
        session.Receive("40010030b162" + "d1ff" + "00" + "ff" + new string('0', 600));
        Assert.InRange(session.TakeSent().Sum(hex => hex.Length / 2), 1, 3 * 320);

        session.Receive(Reset(ping));
        await UntilAsync(() => session.Channel!.IsVerified);
        Assert.InRange(Ask(session, "40010040b162").Length / 2, 1000, 1100);
    }

    [Fact]
    [Rfc("9146-6-1")]
    public async Task Notifications_wait_until_the_moved_peer_is_verified()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartWithBigAsync();
        DirectSession session = Sessions.Accept(Peer);
        Ask(session, Register);
        session.ReceiveFrom(s_elsewhere, null);
        string ping = Assert.Single(session.TakeSent());

        Change(route, "1");
        Change(route, "2");
        Clock.Advance(FromSeconds(1));
        session.HasSentNothing();

        session.Receive(Reset(ping));
        await UntilAsync(() => session.Channel!.IsVerified);
        Clock.Advance(FromSeconds(10));
        string notification = session.TakeSent()[0];
        notification.Ends("ff32");
        session.Receive(Acknowledge(notification));
        Assert.Equal(1, Server.ObserverCount);
    }

    [Fact]
    [Rfc("9146-6-1")]
    public async Task An_acknowledgement_of_a_message_from_before_the_move_does_not_verify_the_address()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartWithBigAsync();
        DirectSession session = Sessions.Accept(Peer);
        Ask(session, Register);
        Change(route, "1");
        string before = Assert.Single(session.TakeSent());
        Clock.Advance(FromMilliseconds(100));

        session.ReceiveFrom(s_elsewhere, Acknowledge(before));
        Assert.False(session.Channel!.IsVerified);
    }

    [Fact]
    [Rfc("9146-6-1")]
    public async Task A_response_to_a_request_that_was_retransmitted_after_the_move_does_not_verify_the_address()
    {
        await StartWithBigAsync();
        DirectSession session = Sessions.Accept(Peer);
        Task<CoapResponse> asked = Assert.Single(Endpoint.ConnectedPeers).GetAsync("/3/0");
        string request = Assert.Single(session.TakeSent());
        Clock.Advance(FromMilliseconds(100));
        session.ReceiveFrom(s_elsewhere, null);
        Clock.Advance(FromSeconds(3));
        Assert.Contains((request, s_elsewhere), session.TakeAll());

        session.Receive(Content(request));

        await Within(asked).Says("1");
        Assert.False(session.Channel!.IsVerified);
    }

    [Fact]
    [Rfc("9146-6-1")]
    public async Task An_acknowledgement_of_a_message_from_after_the_move_verifies_the_address()
    {
        await StartWithBigAsync();
        DirectSession session = Sessions.Accept(Peer);
        session.ReceiveFrom(s_elsewhere, null);
        Assert.True(IsPing(Assert.Single(session.TakeSent())));
        Clock.Advance(FromMilliseconds(1));
        Task<CoapResponse> asked = Assert.Single(Endpoint.ConnectedPeers).GetAsync("/3/0");
        (string request, CoapAddress to) = Assert.Single(session.TakeAll());
        Assert.Equal(s_elsewhere, to);

        session.Receive(Content(request));

        await Within(asked);
        Assert.True(session.Channel!.IsVerified);
    }

    [Fact]
    [Rfc("9146-6-1", "9175-2.4-1")]
    public async Task An_Echo_value_verifies_only_the_address_for_which_the_server_made_the_value()
    {
        await StartWithBigAsync();
        DirectSession session = Sessions.Accept(Peer);
        session.ReceiveFrom(s_elsewhere, null);
        session.TakeSent();

        // Large enough that an Echo has room in the answer.
        CoapMessage challenge = Read(Ask(session, GetBig + "4d1b" + new string('7', 80)));
        CoapMessage again = Read("40010002b162");
        again.Options.Echo = challenge.Options.Echo!.Value;

        session.ReceiveFrom(s_third, Write(again));
        Assert.False(session.Channel!.IsVerified);
        session.ReceiveFrom(s_elsewhere, null);
        session.TakeSent();
        again.MessageId = 3;
        Assert.InRange(Ask(session, Write(again)).Length / 2, 1000, 1100);
        Assert.True(session.Channel.IsVerified);

        // In a session that holds until the next move.
        Clock.Advance(FromDays(30));
        Assert.InRange(Ask(session, "40010004b162").Length / 2, 1000, 1100);
    }

    [Fact]
    [Rfc("9146-6-1")]
    public async Task The_probe_answer_of_an_old_address_does_not_verify_the_next_address()
    {
        await StartWithBigAsync();
        DirectSession session = Sessions.Accept(Peer);
        session.ReceiveFrom(s_elsewhere, null);
        string first = Assert.Single(session.TakeSent());
        session.ReceiveFrom(s_third, null);
        (string second, CoapAddress to) = Assert.Single(session.TakeAll());
        Assert.Equal(s_third, to);
        Assert.NotEqual(first, second);

        session.Receive(Reset(first));
        await SettleAsync();
        Assert.False(session.Channel!.IsVerified);
        session.Receive(Reset(second));
        await UntilAsync(() => session.Channel.IsVerified);
    }

    [Fact]
    public async Task A_peer_that_moves_constantly_has_at_most_one_outstanding_probe()
    {
        await StartWithBigAsync();
        DirectSession session = Sessions.Accept(Peer);
        for (int i = 0; i < 500; i++)
        {
            session.ReceiveFrom(i % 2 == 0 ? s_elsewhere : s_third, null);
        }

        Assert.InRange(session.TakeSent().Length, 1, 500);
        Assert.InRange(Endpoint.Pipelines[0].Messages.Outstanding, 0, 1);
        Assert.Equal(0, Endpoint.Pipelines[0].Messages.Waiting);
        session.End();
        Assert.Equal(0, session.Channel!.Shard.Wheel.Count);
        Assert.Equal(0, session.Channel.Pins);
    }

    [Fact]
    [Rfc("9146-6-1")]
    public async Task The_last_probe_of_concurrent_moves_can_verify_the_address()
    {
        await StartWithBigAsync();
        DirectSession session = Sessions.Accept(Peer);
        for (int round = 0; round < 200; round++)
        {
            Parallel.For(0, 4, i => session.ReceiveFrom(i % 2 == 0 ? s_elsewhere : s_third, null));
            foreach (string ping in session.TakeSent())
            {
                session.Receive(Reset(ping));
            }

            await UntilAsync(() => session.Channel!.IsVerified);
        }
    }

    [Fact]
    [Rfc("9146-6-1")]
    public async Task A_peer_that_did_not_answer_the_probe_is_probed_again_when_its_next_request_arrives()
    {
        await StartWithBigAsync();
        DirectSession session = Sessions.Accept(Peer);
        session.ReceiveFrom(s_elsewhere, null);
        Clock.Advance(FromMinutes(10));
        await UntilAsync(() => SessionMove.Of(session.Channel!)!.Probe is null);
        Assert.Equal(Free / 33, session.TakeSent().Count(IsPing));

        // The answers to some of these may be too much, as they would be for a device that has asked for little.
        for (int i = 1; i < 5; i++)
        {
            session.Receive($"4001{i:x4}b178");
        }

        Clock.Advance(FromSeconds(10));
        session.Receive(Reset(session.TakeSent().First(IsPing)));
        await UntilAsync(() => session.Channel!.IsVerified);
    }

    [Fact]
    public async Task A_probe_does_not_wait_for_NSTART()
    {
        await StartWithBigAsync();
        DirectSession session = Sessions.Accept(Peer);

        // NSTART is 1, and these are outstanding and waiting.
        CoapPeer peer = Assert.Single(Endpoint.ConnectedPeers);
        Task<CoapResponse>[] asked = [peer.GetAsync("/1"), peer.GetAsync("/2")];
        Assert.Single(session.TakeSent());
        session.ReceiveFrom(s_elsewhere, null);
        Assert.True(IsPing(Assert.Single(session.TakeSent())));
        session.End();
        foreach (Task<CoapResponse> request in asked)
        {
            await Assert.ThrowsAsync<CoapConnectionException>(() => Within(request));
        }
    }

    [Fact]
    [Rfc("9146-6-1")]
    public async Task A_large_request_waits_for_verification_and_a_small_request_does_not()
    {
        await StartWithBigAsync();
        DirectSession session = Sessions.Accept(Peer);
        CoapPeer peer = Assert.Single(Endpoint.ConnectedPeers);
        session.ReceiveFrom(s_elsewhere, null);
        string ping = Assert.Single(session.TakeSent());
        Clock.Advance(FromMilliseconds(1));
        Task<CoapResponse> large = peer.PostAsync("/x", CoapContent.Binary(new byte[500]));
        session.HasSentNothing();

        session.Receive(Reset(ping));
        await UntilAsync(() => session.Channel!.IsVerified);
        Clock.Advance(FromSeconds(5));
        string sent = Assert.Single(session.TakeSent().Distinct());
        Assert.InRange(sent.Length / 2, 500, 600);
        session.Receive(Content(sent));
        await Within(large);
    }

    [Fact]
    public async Task An_exception_of_a_PeerMoved_handler_is_logged_and_the_other_handlers_still_run()
    {
        int told = 0;
        Endpoint.PeerMoved += static (_, _) => throw new InvalidOperationException("boom");
        Endpoint.PeerMoved += (_, _) => told++;
        await StartWithBigAsync();
        DirectSession session = Sessions.Accept(Peer);

        session.ReceiveFrom(s_elsewhere, Get);

        Assert.Equal(1, told);
        Assert.Single(Logs.Entries, entry => entry.Id.Id == 1763);
        Assert.Equal(Microsoft.Extensions.Logging.LogLevel.Debug, Assert.Single(Logs.Entries, entry => entry.Id.Id == 1764).Level);
        Assert.Contains(session.TakeSent(), hex => hex.StartsWith("60450001", Ordinal));
    }

    [Fact]
    public async Task A_move_before_the_opening_or_after_the_end_of_a_session_is_ignored()
    {
        await StartWithBigAsync();
        new DirectSession(Sessions, Peer, DirectSessionTransport.Local, isInitiator: false).ReceiveFrom(s_elsewhere, null);
        DirectSession session = Sessions.Accept(Peer);
        session.End();
        session.ReceiveFrom(s_elsewhere, null);
        Assert.Equal(0, Counters[CoapCounter.PeersMoved]);
        Assert.Equal(0, session.Sent);
    }

    private async Task StartWithBigAsync()
    {
        Server.MapGet("/b", () => CoapResults.Bytes(new byte[1000]));
        Server.MapGet("/x", () => CoapResults.Text("1"));
        await StartSessionsAsync();
    }
}
