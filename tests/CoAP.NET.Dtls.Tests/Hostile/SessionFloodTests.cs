namespace CoAP.NET.Dtls.Tests.Hostile;

/// <summary>More sessions than the limits allow, by clients that the server accepts.</summary>
public sealed class SessionFloodTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    [InlineData(400)]
    public void A_sleeping_device_keeps_its_session_while_others_open_sessions_without_an_identity(int addresses)
    {
        using SessionRig rig = new(new DtlsServerLimits { MaxSessions = 200 });
        (DtlsSession session, RecordLayer client) = rig.Open(1, identity: "device");
        rig.Clock.Advance(FromHours(1));
        for (int i = 0; i < 1_000; i++)
        {
            rig.Open(Stranger(i % addresses), 1 + i, identity: null);
        }

        Assert.Equal(200, rig.Server.SessionCount);
        Assert.Equal(801, rig.Server.Counters.SessionsEnded(DtlsSessionEndReason.Evicted));
        Assert.True(rig.Server.Receive(session.Path, SessionRig.Record(client, [1])));
    }

    [Fact]
    public void Sessions_of_the_source_with_the_most_sessions_are_evicted_although_it_uses_many_identities()
    {
        using SessionRig rig = new(new DtlsServerLimits { MaxSessions = 200 });
        List<(DtlsSession Session, RecordLayer Client)> devices = [
            .. Enumerable.Range(1, 100).Select(host => rig.Open(host, identity: $"device {host}"))];
        rig.Clock.Advance(FromHours(1));
        for (int i = 0; i < 1_000; i++)
        {
            rig.Open(Stranger(i % 4), 1 + i, $"bought {i}");
        }

        Assert.Equal(200, rig.Server.SessionCount);
        Assert.All(devices, device => Assert.False(device.Session.IsClosed));
    }

    [Fact]
    public void A_new_client_without_an_identity_gets_a_session_when_all_others_have_an_identity()
    {
        using SessionRig rig = new(new DtlsServerLimits { MaxSessions = 10 });
        DtlsSession[] known = [.. Enumerable.Range(1, 10).Select(host => rig.Open(host, identity: $"device {host}").Session)];
        (DtlsSession stranger, _) = rig.Open(Stranger(1), 1, identity: null);
        Assert.False(stranger.IsClosed);
        Assert.Equal(known[0], Assert.Single(known, session => session.IsClosed));
        (DtlsSession next, _) = rig.Open(Stranger(2), 2, identity: null);
        Assert.Equal((true, false), (stranger.IsClosed, next.IsClosed));
        Assert.Single(known, session => session.IsClosed);
    }

    [Fact]
    public void An_address_that_exceeds_its_session_limit_evicts_its_own_sessions()
    {
        using SessionRig rig = new(new DtlsServerLimits { MaxSessionsPerAddress = 5 });
        (DtlsSession other, _) = rig.Open(1, identity: "device");
        List<DtlsSession> sessions = [];
        for (int i = 1; i <= 8; i++)
        {
            sessions.Add(rig.Open(Stranger(1), i, i == 2 ? "known" : null).Session);
            rig.Clock.Advance(FromSeconds(2));
        }

        // Those that nobody knows first.
        Assert.Equal([0, 2, 3], Enumerable.Range(0, 8).Where(i => sessions[i].IsClosed));
        Assert.False(other.IsClosed);
    }

    [Fact]
    public void A_network_with_a_56_bit_prefix_counts_as_a_single_address()
    {
        using SessionRig rig = new(new DtlsServerLimits { MaxSessionsPerAddress = 5 });
        for (int i = 0; i < 256; i++)
        {
            rig.Open(new CoapAddress(0x20010DB8_00AA0000UL | (uint)i, 1, 1, 0), 1_000, identity: null);
        }

        rig.Open(new CoapAddress(0x20010DB8_00AA0100, 1, 1, 0), 1_000, identity: null);
        Assert.Equal(6, rig.Server.SessionCount);
    }

    [Fact]
    public void An_identity_that_exceeds_its_session_limit_evicts_its_own_sessions()
    {
        using SessionRig rig = new(new DtlsServerLimits { MaxSessionsPerIdentity = 5 });
        (DtlsSession other, _) = rig.Open(1, identity: "other");
        List<(DtlsSession Session, RecordLayer Client)> shared = [
            .. Enumerable.Range(2, 5).Select(host => rig.Open(host, identity: "shared"))];
        rig.Clock.Advance(FromSeconds(2));
        Assert.True(rig.Server.Receive(shared[0].Session.Path, SessionRig.Record(shared[0].Client, [1])));
        rig.Open(10, identity: "shared");
        Assert.Equal([false, true, false, false, false], shared.Select(one => one.Session.IsClosed));
        Assert.False(other.IsClosed);
    }

    [Fact]
    public void A_session_counts_for_the_current_address_of_its_peer()
    {
        using SessionRig rig = new(new DtlsServerLimits { MaxSessionsPerAddress = 2 });
        (DtlsSession moving, RecordLayer client) = rig.Open(Stranger(1), 1, "device");
        rig.Open(Stranger(2), 2, "first");
        Assert.True(rig.Server.Receive(ServerBench.Path(Stranger(2), 3), SessionRig.Record(client, [1])));
        (DtlsSession third, _) = rig.Open(Stranger(2), 4, "third");
        Assert.Equal(2, rig.Server.SessionCount);
        Assert.False(moving.IsClosed || third.IsClosed);
        rig.Open(Stranger(1), 5, "fourth");
        Assert.Equal(3, rig.Server.SessionCount);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_datagram_counts_at_most_two_forged_records(bool withCid)
    {
        using SessionRig rig = new();
        (DtlsSession session, RecordLayer client) = rig.Open(1, withCid);
        byte[] forged = SessionRig.Record(client, [1]);
        forged[^1] ^= 1;
        rig.Server.Receive(session.Path, [.. Enumerable.Repeat(forged, 40).SelectMany(record => record)]);
        Assert.Equal(2, rig.Server.Counters.RecordsForged);
        Assert.True(rig.Server.Receive(session.Path, [.. forged, .. SessionRig.Record(client, [2])]));
    }

    [Fact]
    public void A_session_survives_more_forgeries_the_longer_its_tag_is()
    {
        Assert.All(CipherSuite.All,
            suite => Assert.True(suite.Mode == AeadMode.Gcm ? suite.MaxForgeries > 1 << 30 : suite.MaxForgeries == 1 << 23),
            throwIfEmpty: true);

        // Each datagram that tries twice has at least two headers, nonces and tags, beside the headers of UDP and IP.
        Assert.All(CipherSuite.All,
            suite =>
                Assert.True((long)suite.MaxForgeries / DtlsSession.MaxForgeriesOfDatagram * (28
                    + (2 * (RecordHeader.Size + suite.Expansion))) > 300_000_000), throwIfEmpty: true);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public void A_session_ends_before_its_keys_reach_their_encryption_limit(int suite)
    {
        using SessionRig rig = new();
        CipherSuite chosen = CipherSuite.All[suite];
        RecordLayer records = new(chosen, SessionRig.Keys(1), true, [], []);
        DtlsSession session = new(new HandshakeResult(records, [], 0, "device", null), ServerBench.Path(1), rig, rig.Clock)
        {
            Home = rig.Server
        };
        rig.Server.Open(session);
        records.SkipTo(chosen.MaxRecords - 16 - 9);

        // Eight times as long as what counts as one, twice.
        Assert.True(session.Send(new byte[16_000]));
        Assert.False(records.IsAlmostUsedUp);
        Assert.True(session.Send(new byte[100]));
        Assert.False(session.Send([1]));
        Assert.Equal((session, DtlsSessionEndReason.Exhausted), Assert.Single(rig.Closed));
        Assert.Equal(3, rig.Sent);
    }

    [Fact]
    public void The_encryption_limit_of_each_suite_is_within_that_of_RFC_9147()
    {
        // Records of 2^10 blocks: 2^24.5 with GCM, 2^23 with CCM.
        Assert.All(CipherSuite.All,
            suite =>
                Assert.True(suite.MaxRecords * CipherSuite.BlocksOfRecord <= (ulong)Math.Pow(2, suite.Mode == AeadMode.Gcm ? 34.5 : 33)),
            throwIfEmpty: true);
    }

    private static CoapAddress Stranger(int number) => CoapAddress.FromIPv4(0x0B000000u + (uint)number, 1);
}
