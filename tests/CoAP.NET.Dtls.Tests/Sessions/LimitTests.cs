namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>Bounds of numbers and times.</summary>
public sealed class LimitTests
{
    [Fact]
    public void The_sessions_idle_for_the_longest_time_are_evicted_in_order()
    {
        const int Max = 100;
        using SessionRig rig = new(new DtlsServerLimits { MaxSessions = Max });
        List<(DtlsSession Session, RecordLayer Client)> all = [];
        for (int host = 1; host <= Max; host++)
        {
            all.Add(rig.Open(host));
            rig.Clock.Advance(FromSeconds(2));
        }

        // Every third is heard of.
        for (int i = 0; i < Max; i += 3)
        {
            Assert.True(rig.Server.Receive(all[i].Session.Path, SessionRig.Record(all[i].Client, [1])));
            rig.Clock.Advance(FromSeconds(2));
        }

        for (int host = Max + 1; host <= 2 * Max; host++)
        {
            rig.Open(host);
            Assert.Equal(Max, rig.Server.SessionCount);
        }

        DtlsSession[] expected = [
            .. all.Where((_, i) => i % 3 != 0).Concat(all.Where((_, i) => i % 3 == 0)).Select(one => one.Session)];
        Assert.Equal(expected, rig.Closed.Select(one => one.Session));
        Assert.Equal(Max, rig.Server.Counters.SessionsEnded(DtlsSessionEndReason.Evicted));
    }

    [Fact]
    public void Many_expired_sessions_are_removed_in_batches()
    {
        using SessionRig rig = new(new DtlsServerLimits { IdleTimeout = FromHours(1) });
        for (int host = 1; host <= 1_500; host++)
        {
            rig.Open(host);
        }

        rig.Clock.Advance(FromMinutes(40));
        (_, RecordLayer client) = rig.Open(2_000);
        rig.Clock.Advance(FromMinutes(21));
        rig.Server.Tick();
        Assert.Equal(501, rig.Server.SessionCount);
        rig.Server.Tick();
        rig.Server.Tick();
        Assert.Equal(1, rig.Server.SessionCount);
        Assert.True(rig.Server.Receive(ServerBench.Path(2_000), SessionRig.Record(client, [1])));
        rig.Clock.Advance(FromMinutes(60));
        rig.Server.Tick();
        Assert.Equal(1, rig.Server.SessionCount);
        rig.Clock.Advance(FromSeconds(1));
        rig.Server.Tick();
        Assert.Equal(0, rig.Server.SessionCount);
    }

    [Fact]
    public void The_last_flight_is_retransmitted_on_request_for_four_minutes()
    {
        using SessionRig rig = new();
        byte[] finished = [20, .. new byte[23]];
        (DtlsSession session, RecordLayer client) = rig.Open(1, lastFlight: finished);
        List<byte[]> sent = [];
        rig.OnSent = (_, datagram) => sent.Add(datagram);
        Assert.True(rig.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, finished, ContentType.Handshake)));
        Assert.Equal((byte)ContentType.ChangeCipherSpec, Assert.Single(sent)[0]);

        // Something else than a Finished asks for nothing.
        Assert.True(rig.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [4, .. new byte[23]], ContentType.Handshake)));
        rig.Clock.Advance(DtlsSession.LastFlightLifetime);
        rig.Server.Tick();
        Assert.True(session.HasLastFlight);
        rig.Clock.Advance(FromSeconds(1));
        rig.Server.Tick();
        Assert.False(session.HasLastFlight);
        Assert.True(rig.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, finished, ContentType.Handshake)));
        Assert.Single(sent);
    }

    [Fact]
    public void A_client_that_restarts_its_handshake_is_not_delayed_by_the_abandoned_handshake()
    {
        using ServerBench bench = new(new DtlsServerLimits { MaxHandshakesPerAddress = 1 });
        int sent = 0;
        bench.LosesOfServer = _ => ++sent >= 2;
        BenchClient lost = bench.Connect(1);
        Assert.Equal(HandshakeStatus.Running, lost.Handshake.Status);
        Assert.Equal(1, bench.Server.HandshakeCount);
        bench.LosesOfServer = null;
        Assert.NotNull(bench.Connect(1).Session);
        Assert.Equal((1, 0), (bench.Server.SessionCount, bench.Server.HandshakeCount));
        DtlsServerCounters counters = bench.Server.Counters;
        Assert.Equal((2, 1, 1, 0),
            (counters.HandshakesStarted, counters.HandshakesCompleted, counters.HandshakesFailed, counters.HandshakesEvicted));
    }

    [Fact]
    public void A_handshake_that_exceeds_its_time_limit_is_abandoned_and_counted()
    {
        using ServerBench bench = new();
        for (int host = 1; host <= 3; host++)
        {
            bench.Connect(host, key: "wrong"u8.ToArray());
        }

        DtlsServerCounters counters = bench.Server.Counters;
        Assert.Equal((3, 3), (bench.Server.HandshakeCount, counters.HandshakesStarted));
        bench.Clock.Advance(FromSeconds(30));
        bench.Server.Tick();
        Assert.Equal((0, 3), (bench.Server.HandshakeCount, counters.HandshakesFailed));
        Assert.Equal(3, bench.Failures.Count);
        Assert.True(counters.RecordsForged >= 3, "A wrong key shows as a record that was not sealed with ours.");
        Assert.NotNull(bench.Connect(7).Session);
    }

    [Fact]
    public void A_key_store_that_never_answers_does_not_keep_a_handshake_beyond_its_time_limit()
    {
        using ServerBench bench = new(store: new DeafStore());
        bench.Connect(1);
        Assert.Equal(1, bench.Server.HandshakeCount);
        bench.Clock.Advance(FromSeconds(30));
        bench.Server.Tick();
        Assert.Equal(0, bench.Server.HandshakeCount);
        Assert.Single(bench.Failures);
        Assert.Equal(1, bench.Server.Counters.HandshakesFailed);
        Assert.Empty(bench.Opened);
    }

    private sealed class DeafStore : ICoapPskStore
    {
        public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken) =>
            new(new TaskCompletionSource<ReadOnlyMemory<byte>>().Task);
    }
}
