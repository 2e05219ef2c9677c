using System.Globalization;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>
/// What has no effect: malformed, forged, replayed datagrams, and strangers. COAP_FORGED says how many datagrams, COAP_TEST_SEED which.
/// </summary>
public sealed class FilterTests
{
    internal static int Number(string name, int otherwise) =>
        int.TryParse(Environment.GetEnvironmentVariable(name), NumberStyles.None, CultureInfo.InvariantCulture, out int value)
            ? value
            : otherwise;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Whatever_is_forged_cut_or_replayed_ends_no_session(bool withCid)
    {
        int count = Number("COAP_FORGED", 20_000);
        Random random = new(Number("COAP_TEST_SEED", 1));
        using SessionRig rig = new();
        (DtlsSession session, RecordLayer client) = rig.Open(1, withCid);
        DtlsPath path = ServerBench.Path(1);
        int header = 13 + session.OwnCid.Length;
        List<byte[]> genuine = [];
        long sent = 0;
        for (int i = 0; i < count; i++)
        {
            if (i % 100 == 0)
            {
                byte[] record = SessionRig.Record(client, new byte[random.Next(1, 60)]);
                genuine.Add([.. record]);
                Assert.True(rig.Server.Receive(path, record));
                sent++;
            }

            byte[] forged = [.. genuine[random.Next(genuine.Count)]];
            switch (random.Next(6))
            {
                case 0:
                    forged[random.Next(forged.Length)] ^= (byte)(1 << random.Next(8));
                    break;
                case 1:
                    forged = forged[..random.Next(forged.Length)];
                    break;
                case 2:
                    random.NextBytes(forged.AsSpan(13));
                    break;
                case 3:
                    // A number that was not used, and a length that may be too short for any record.
                    random.NextBytes(forged.AsSpan(5, 6));
                    byte[] body = new byte[random.Next(1, 40)];
                    forged = [.. forged.AsSpan(0, header), .. body];
                    forged[header - 2] = 0;
                    forged[header - 1] = (byte)body.Length;
                    break;
                case 4:
                    random.NextBytes(forged);
                    forged[0] = (byte)random.Next(19, 27);
                    break;
                default:
                    break;
            }

            rig.Server.Receive(random.Next(2) == 0 ? path : ServerBench.Path(2), forged);
        }

        DtlsServerCounters counters = rig.Server.Counters;
        Assert.Equal(sent, rig.Received);
        Assert.Empty(rig.Closed);
        Assert.Equal(ServerBench.Path(1), session.Path);
        Assert.True(rig.Server.Receive(path, SessionRig.Record(client, [1])));
        Assert.True(counters.RecordsForged > 0 && counters.RecordsReplayed > 0 && counters.RecordsIgnored > 0);
        Assert.True(counters.RecordsForged + counters.RecordsReplayed + counters.RecordsIgnored >= count);
    }

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
    public void A_datagram_of_another_shape_is_counted_and_nothing_else(string hex)
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
    public void A_bad_record_harms_no_good_one_behind_it()
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
    public void Beyond_the_bound_of_forgeries_a_session_ends()
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

        Assert.Equal((session, DtlsEnd.Exhausted), Assert.Single(rig.Closed));
        Assert.Equal(0, rig.Server.SessionCount);
        Assert.Equal(1, rig.Sent);
    }
}
