namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>
/// What has no effect: malformed, forged, replayed datagrams, and strangers. COAP_FORGED says how many datagrams, COAP_TEST_SEED which.
/// </summary>
public sealed class FilterTests
{
    [Theory]
    [InlineData("")]
    [InlineData("17fefd0001000000000007")]
    [InlineData("17fefd00010000000000070000")]
    [InlineData("17fefd0001000000000007000500000000ff")]
    [InlineData("17fefd000100000000000700050000000000")]
    [InlineData("17fefd0001000000000007000f000000000000000000000000000000")]
    [InlineData("17fefd00020000000000070010000102030405060708090a0b0c0d0e0f")]
    [InlineData("17fefd00000000000000070010000102030405060708090a0b0c0d0e0f")]
    [InlineData("15fefd00000000000000ff00020228")]
    [InlineData("17feff00010000000000070010000102030405060708090a0b0c0d0e0f")]
    [InlineData("18fefd00010000000000070010000102030405060708090a0b0c0d0e0f")]
    [InlineData("19fefd000100000000000701020304050607080010000102030405060708090a0b0c0d0e0f")]
    [InlineData("16fefd0000000000000007000c010000000000000000000000")]
    public void A_datagram_that_is_not_a_record_is_counted_and_ignored(string hex)
    {
        using SessionRig rig = new();
        (_, RecordLayer client) = rig.Open(1, withCid: false);
        byte[] datagram = Convert.FromHexString(hex);
        Assert.False(rig.Server.Receive(ServerBench.Path(1), datagram));
        DtlsServerCounters counters = rig.Server.Counters;
        Assert.Equal((1, 0, 0), (counters.RecordsIgnored, counters.RecordsForged, counters.RecordsReplayed));
        Assert.Equal(0, rig.Sent);
        Assert.True(rig.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [1])));
    }

    [Fact]
    public void A_bad_record_does_not_affect_a_good_record_after_it()
    {
        using SessionRig rig = new();
        (_, RecordLayer client) = rig.Open(1, withCid: false);
        byte[] forged = SessionRig.Record(client, [1]);
        forged[^1] ^= 1;
        byte[] datagram = [.. Convert.FromHexString("17fefd0001000000000007000500000000ff"), .. forged, .. SessionRig.Record(client, [2])];
        Assert.True(rig.Server.Receive(ServerBench.Path(1), datagram));
        Assert.Equal(1, rig.Received);
        Assert.True(rig.Server.Receive(ServerBench.Path(1), [.. forged, .. SessionRig.Record(client, [3])]));
        Assert.Equal(2, rig.Received);
        Assert.Equal((2, 1), (rig.Server.Counters.RecordsForged, rig.Server.Counters.RecordsIgnored));
    }

    [Fact]
    public void A_session_ends_after_more_forgeries_than_its_limit()
    {
        using SessionRig rig = new(new DtlsServerLimits { MaxForgeries = 5 });
        (DtlsSession session, RecordLayer client) = rig.Open(1);
        for (int i = 0; i < 6; i++)
        {
            Assert.False(session.IsClosed);
            byte[] forged = SessionRig.Record(client, [1]);
            forged[^1] ^= 1;
            rig.Server.Receive(ServerBench.Path(1), forged);
        }

        Assert.Equal((session, DtlsSessionEndReason.Exhausted), Assert.Single(rig.Closed));
        Assert.Equal(0, rig.Server.SessionCount);
        Assert.Equal(1, rig.Sent);
    }
}
