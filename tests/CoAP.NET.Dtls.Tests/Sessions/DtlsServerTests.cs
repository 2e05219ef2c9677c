using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Tests;

namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>Sessions and handshakes of a server.</summary>
public sealed class DtlsServerTests
{
    private static readonly byte[] s_hello = "hello"u8.ToArray();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Messages_go_both_ways(bool withCid)
    {
        using ServerBench bench = new();
        BenchClient client = bench.Connect(1, withCid: withCid);
        DtlsSession session = Assert.Single(bench.Opened);
        Assert.Equal("user", session.PskIdentity);
        Assert.Equal(withCid ? DtlsServer.CidLength : 0, session.OwnCid.Length);
        Assert.True(client.Session!.Send(s_hello));
        Assert.Equal(s_hello, Assert.Single(bench.Received).Content);
        Assert.True(session.Send([.. s_hello, 1]));
        bench.Carry();
        Assert.Equal([.. s_hello, 1], Assert.Single(client.Received));
        Assert.Equal((1, 0), (bench.Server.SessionCount, bench.Server.HandshakeCount));
    }

    [Fact]
    [Rfc("6347-4.2.1-1")]
    public void Of_strangers_nothing_is_kept_before_they_return_a_cookie()
    {
        using ServerBench bench = new();
        BenchClient client = bench.Connect(1);
        byte[] hello = client.Sent[0];
        bench.SentByServerReset();
        for (int i = 0; i < 1_000; i++)
        {
            bench.Server.Receive(ServerBench.Path(1_000 + i), [.. hello]);
        }

        Assert.Equal((1, 0), (bench.Server.SessionCount, bench.Server.HandshakeCount));
        Assert.True(bench.SentByServer <= 1_000L * hello.Length, "A HelloVerifyRequest is longer than the ClientHello.");

        // The cookie of one address is of no use at another.
        bench.Server.Receive(ServerBench.Path(9_999), [.. client.Sent[1]]);
        Assert.Equal((1, 0), (bench.Server.SessionCount, bench.Server.HandshakeCount));
    }

    [Fact]
    public void Whichever_datagram_is_lost_the_handshake_is_finished()
    {
        for (int lost = 1; lost <= 4; lost++)
        {
            using ServerBench bench = new(isLossy: true);
            int sent = 0;
            bench.LosesOfServer = _ => ++sent == lost;
            BenchClient client = bench.Connect(1);
            while (client.Session is null)
            {
                client.Handshake.OnTimeout();
                client.Flush();
                bench.Server.Tick();
                bench.Carry();
            }

            Assert.True(client.Session!.Send(s_hello));
            Assert.Equal(s_hello, Assert.Single(bench.Received).Content);
        }
    }

    [Fact]
    [Rfc("6347-4.2.4-1")]
    public void A_last_flight_that_was_lost_is_said_again()
    {
        using ServerBench bench = new(isLossy: true);
        int ofServer = 0;
        bench.LosesOfServer = _ => ++ofServer == 3;
        BenchClient client = bench.Connect(1);
        Assert.Equal(HandshakeStatus.Running, client.Handshake.Status);
        Assert.Single(bench.Opened);
        while (client.Handshake.NextTimeout() > TimeSpan.Zero)
        {
            // OpenSSL reads the clock of the wall; a tenth of a second passes.
            Thread.Yield();
        }

        client.Handshake.OnTimeout();
        client.Flush();
        bench.Carry();
        Assert.Equal(HandshakeStatus.Done, client.Handshake.Status);
        Assert.True(client.Session!.Send(s_hello));
        Assert.Equal(s_hello, Assert.Single(bench.Received).Content);
    }

    [Fact]
    [Rfc("6347-4.2.8-1")]
    public void A_client_that_lost_its_state_comes_back_from_the_same_address()
    {
        using ServerBench bench = new();
        BenchClient before = bench.Connect(1);
        BenchClient after = bench.Connect(1);
        Assert.Equal(2, bench.Opened.Count);
        Assert.Equal((bench.Opened[0], DtlsEnd.Replaced), Assert.Single(bench.Closed));
        Assert.True(after.Session!.Send(s_hello));
        Assert.Same(bench.Opened[1], Assert.Single(bench.Received).Session);
        Assert.True(before.Session!.Send(s_hello));
        Assert.Single(bench.Received);
        Assert.Equal(1, bench.Server.SessionCount);
    }

    [Fact]
    [Rfc("6347-4.2.8-1")]
    public void A_handshake_that_is_not_finished_harms_no_session()
    {
        using ServerBench bench = new();
        BenchClient honest = bench.Connect(1);
        BenchClient other = bench.Connect(1, key: "wrong"u8.ToArray());
        Assert.Null(other.Session);
        Assert.Empty(bench.Closed);
        Assert.True(honest.Session!.Send(s_hello));
        Assert.Equal(s_hello, Assert.Single(bench.Received).Content);
        Assert.Equal(1, bench.Server.HandshakeCount);
        bench.Clock.Advance(TimeSpan.FromSeconds(31));
        bench.Server.Tick();
        Assert.Equal(0, bench.Server.HandshakeCount);
        Assert.Single(bench.Failures);
    }

    [Fact]
    [Rfc("6347-4.2.8-1")]
    public void A_session_without_a_Connection_ID_is_served_while_a_handshake_from_its_address_is_not_finished()
    {
        using ServerBench bench = new();
        BenchClient honest = bench.Connect(1, withCid: false);
        bench.Connect(1, key: "wrong"u8.ToArray(), withCid: false);
        Assert.Equal((1, 1), (bench.Server.SessionCount, bench.Server.HandshakeCount));

        Assert.True(honest.Session!.Send(s_hello));

        (DtlsSession session, byte[] content) = Assert.Single(bench.Received);
        Assert.Same(bench.Opened[0], session);
        Assert.Equal(s_hello, content);
        Assert.Empty(bench.Closed);
    }

    [Fact]
    [Rfc("7925-6-1")]
    public void An_unknown_identity_is_answered_as_a_wrong_key_is()
    {
        using ServerBench bench = new();
        BenchClient wrongKey = bench.Connect(1, key: "wrong"u8.ToArray());
        BenchClient unknown = bench.Connect(2, identity: "nobody");
        Assert.Equal((HandshakeStatus.Running, HandshakeStatus.Running), (wrongKey.Handshake.Status, unknown.Handshake.Status));
        Assert.Empty(bench.Opened);
    }

    [Fact]
    [Rfc("9146-6-1")]
    public void A_client_with_a_Connection_ID_may_have_another_address()
    {
        using ServerBench bench = new();
        BenchClient client = bench.Connect(1);
        bench.Move(client, 2);
        Assert.True(client.Session!.Send(s_hello));
        (DtlsSession session, DtlsPath from) = Assert.Single(bench.Moves);
        Assert.Equal((ServerBench.Path(1), ServerBench.Path(2)), (from, session.Path));
        Assert.True(session.Send(s_hello));
        bench.Carry();
        Assert.Equal(s_hello, Assert.Single(client.Received));

        // An older record moves nothing, and is delivered once only.
        byte[] old = client.Sent[^1];
        Assert.True(client.Session.Send([1]));
        Assert.False(bench.Server.Receive(ServerBench.Path(66), [.. old]));
        Assert.Equal(ServerBench.Path(2), session.Path);
        Assert.Equal(2, bench.Received.Count);
    }

    [Fact]
    public void A_client_without_a_Connection_ID_is_not_known_at_another_address()
    {
        using ServerBench bench = new();
        BenchClient client = bench.Connect(1, withCid: false);
        bench.Move(client, 2);
        Assert.True(client.Session!.Send(s_hello));
        Assert.Empty(bench.Received);
        Assert.Empty(bench.Moves);
    }

    [Fact]
    [Rfc("7252-9-2")]
    public void Closing_is_told_and_answered()
    {
        using ServerBench bench = new();
        BenchClient client = bench.Connect(1);
        client.Session!.End(DtlsEnd.Closed, tells: true);
        Assert.Equal((bench.Opened[0], DtlsEnd.ClosedByPeer), Assert.Single(bench.Closed));
        Assert.Equal(0, bench.Server.SessionCount);
        Assert.False(bench.Opened[0].Send(s_hello));

        BenchClient second = bench.Connect(2);
        bench.Server.End(bench.Opened[1], DtlsEnd.Closed, tells: true);
        bench.Carry();
        Assert.Equal(DtlsEnd.ClosedByPeer, Assert.Single(second.Ends));
    }

    [Fact]
    public void Handshakes_are_bounded_by_address_and_in_all()
    {
        using ServerBench bench = new(new DtlsServerLimits { MaxHandshakes = 3, MaxHandshakesPerAddress = 1 });
        byte[] wrong = "wrong"u8.ToArray();
        for (int host = 1; host <= 5; host++)
        {
            bench.Connect(host, key: wrong);
        }

        Assert.Equal(3, bench.Server.HandshakeCount);
    }

    [Fact]
    public void Silent_sessions_go_and_those_idle_longest_make_room()
    {
        using ServerBench bench = new(new DtlsServerLimits { MaxSessions = 2, IdleTimeout = TimeSpan.FromHours(1) });
        BenchClient first = bench.Connect(1);
        bench.Clock.Advance(TimeSpan.FromMinutes(10));
        bench.Connect(2);
        bench.Clock.Advance(TimeSpan.FromMinutes(10));
        Assert.True(first.Session!.Send(s_hello));
        bench.Clock.Advance(TimeSpan.FromMinutes(10));
        bench.Connect(3);
        Assert.Equal((bench.Opened[1], DtlsEnd.Evicted), Assert.Single(bench.Closed));
        bench.Clock.Advance(TimeSpan.FromMinutes(51));
        bench.Server.Tick();
        Assert.Equal((bench.Opened[0], DtlsEnd.Evicted), bench.Closed[1]);
        Assert.Equal(1, bench.Server.SessionCount);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Forged_datagrams_end_no_session(bool withCid)
    {
        using ServerBench bench = new();
        BenchClient client = bench.Connect(1, withCid: withCid);
        Assert.True(client.Session!.Send(s_hello));
        byte[] record = client.Sent[^1];
        for (int bit = 0; bit < 8 * record.Length; bit++)
        {
            byte[] forged = [.. record];
            forged[bit / 8] ^= (byte)(1 << (bit % 8));
            bench.Server.Receive(ServerBench.Path(1), forged);
        }

        for (int length = 0; length < record.Length; length++)
        {
            bench.Server.Receive(ServerBench.Path(1), [.. record.AsSpan(0, length)]);
        }

        // An alert and a message of nobody, in the clear.
        bench.Server.Receive(ServerBench.Path(1), Convert.FromHexString("15fefd00000000000000ff00020228"));
        bench.Server.Receive(ServerBench.Path(1), Convert.FromHexString("17fefd00000000000000ff000101"));
        Assert.Single(bench.Received);
        Assert.Empty(bench.Closed);
        Assert.True(client.Session.Send(s_hello));
        Assert.Equal(2, bench.Received.Count);
    }

    [Fact]
    public async Task A_look_up_that_takes_its_time_holds_up_nobody_else()
    {
        SlowStore store = new();
        using ServerBench bench = new(store: store);
        BenchClient slow = bench.Connect(1, identity: "slow");
        BenchClient quick = bench.Connect(2);
        Assert.Null(slow.Session);
        Assert.NotNull(quick.Session);
        store.Found.SetResult(ServerBench.Key);
        await Eventually.IsTrueAsync(() => bench.Server.HandshakeCount == 0);
        bench.Carry();
        Assert.NotNull(slow.Session);
    }

    private sealed class SlowStore : ICoapPskStore
    {
        public TaskCompletionSource<ReadOnlyMemory<byte>> Found { get; } = new();

        public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken) =>
            identity == "slow" ? new ValueTask<ReadOnlyMemory<byte>>(Found.Task) : new(ServerBench.Key);
    }
}
