namespace CoAP.NET.Dtls.Tests.Hostile;

/// <summary>More handshakes than there may be, by strangers with real addresses.</summary>
public sealed class HandshakeFloodTests
{
    [Theory]
    [InlineData(20)]
    [InlineData(400)]
    public void A_new_client_gets_a_session_when_the_handshake_limit_is_reached(int attackers)
    {
        using ServerBench bench = new(new DtlsServerLimits { MaxHandshakes = 400, MaxHandshakesPerAddress = 20 });
        Flood(bench, attackers, 2 * (400 / attackers));
        Assert.Equal(300, bench.Server.HandshakeCount);

        Assert.NotNull(bench.Connect(1).Session);
        Assert.True(bench.Server.Counters.HandshakesEvicted >= 100);
        Assert.Empty(bench.Failures);
    }

    [Fact]
    public void A_handshake_continues_during_a_flood_from_many_addresses()
    {
        using ServerBench bench = new(new DtlsServerLimits { MaxHandshakes = 100, MaxHandshakesPerAddress = 10 });
        List<byte[]> kept = [];
        bench.LosesOfServer = datagram =>
        {
            kept.Add(datagram);
            return bench.Server.Counters.HandshakesStarted > 0;
        };
        BenchClient honest = bench.Connect(1);
        Assert.Equal(1, bench.Server.HandshakeCount);
        byte[][] flight = [.. kept.Skip(1)];

        Flood(bench, 20, 200);
        bench.LosesOfServer = null;
        Array.ForEach(flight, honest.Receive);
        bench.Carry();

        Assert.NotNull(honest.Session);
        Assert.Equal(1, bench.Server.SessionCount);
    }

    [Fact]
    public void An_IPv6_network_with_a_56_bit_prefix_counts_as_a_single_source()
    {
        using ServerBench bench = new(new DtlsServerLimits { MaxHandshakes = 40, MaxHandshakesPerAddress = 10 });
        bench.LosesOfServer = datagram => datagram.Length > 60;
        bench.Connect(new DtlsPath(new CoapAddress(0x20010DB8_00FF0000, 1, 5_000, 0), default, 0));
        bench.Connect(1);
        for (int network = 0; network < 256; network++)
        {
            BenchClient client =
                bench.Connect(new DtlsPath(new CoapAddress(0x20010DB8_00AA0000UL | (uint)network, 1, 5_000, 0), default, 0));
            Assert.Equal(HandshakeStatus.Running, client.Handshake.Status);
        }

        // Each network of 64 bits has one, as those that came before have; all 256 together have the share of one source.
        Assert.True(bench.Server.Uses(ServerBench.Path(1)));
        Assert.True(bench.Server.Uses(new DtlsPath(new CoapAddress(0x20010DB8_00FF0000, 1, 5_000, 0), default, 0)));
        Assert.Equal(2 + 10, bench.Server.HandshakeCount);
    }

    [Fact]
    public void The_stalled_handshake_without_progress_for_the_longest_time_is_evicted_within_a_source()
    {
        using ServerBench bench = new(new DtlsServerLimits { MaxHandshakesPerAddress = 3 });
        CoapAddress address = CoapAddress.FromIPv4(0x0A000001, 1);

        // The first has sent its key exchange, with a wrong key; the others stop after their cookie.
        bench.Connect(ServerBench.Path(address, 1_000), key: "wrong"u8.ToArray());
        bench.LosesOfServer = datagram => datagram.Length > 60;
        for (int port = 1_001; port <= 1_004; port++)
        {
            bench.Clock.Advance(FromSeconds(1));
            bench.Connect(ServerBench.Path(address, port));
        }

        Assert.Equal([true, false, false, true, true],
            Enumerable.Range(1_000, 5).Select(port => bench.Server.Uses(ServerBench.Path(address, port))));
        Assert.Equal((3, 2), (bench.Server.HandshakeCount, bench.Server.Counters.HandshakesEvicted));
    }

    [Fact]
    public void A_quarter_of_the_handshake_limit_is_reserved_for_sources_with_sessions()
    {
        using ServerBench bench = new(new DtlsServerLimits { MaxHandshakes = 8, MaxHandshakesPerAddress = 8 });
        CoapAddress known = CoapAddress.FromIPv4(0x0A000001, 1);
        Assert.NotNull(bench.Connect(ServerBench.Path(known, 1_000)).Session);
        Flood(bench, 8, 4);
        Assert.Equal(6, bench.Server.HandshakeCount);
        bench.LosesOfServer = datagram => datagram.Length > 60;
        long evicted = bench.Server.Counters.HandshakesEvicted;
        bench.Connect(ServerBench.Path(known, 1_001));
        bench.Connect(ServerBench.Path(known, 1_002));
        Assert.Equal((8, evicted), (bench.Server.HandshakeCount, bench.Server.Counters.HandshakesEvicted));
        Flood(bench, 8, 4);
        Assert.True(bench.Server.Uses(ServerBench.Path(known, 1_001)) && bench.Server.Uses(ServerBench.Path(known, 1_002)));

        // Those have no more room than there is: one more takes the place of another one.
        evicted = bench.Server.Counters.HandshakesEvicted;
        bench.LosesOfServer = datagram => datagram.Length > 60;
        bench.Connect(ServerBench.Path(known, 1_003));
        Assert.Equal((8, evicted + 1), (bench.Server.HandshakeCount, bench.Server.Counters.HandshakesEvicted));
    }

    // Strangers that return their cookie and say no more.
    private static void Flood(ServerBench bench, int addresses, int ofEach)
    {
        Func<byte[], bool>? before = bench.LosesOfServer;
        bench.LosesOfServer = datagram => datagram.Length > 60;
        for (int i = 0; i < ofEach; i++)
        {
            for (int host = 0; host < addresses; host++)
            {
                bench.Connect(ServerBench.Path(CoapAddress.FromIPv4(0x0B000000u + (uint)host, 1), 1_000 + i));
            }
        }

        bench.LosesOfServer = before;
    }
}
