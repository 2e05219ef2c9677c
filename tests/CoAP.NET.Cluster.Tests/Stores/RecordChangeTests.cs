using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Tests.Stores;

/// <summary>Changes that no store could write do not exist.</summary>
public sealed class RecordChangeTests
{
    private static readonly CoapRecordKey s_key = new(CoapRecordKind.Outbox, new CoapSlot(1), [1]);
    private static readonly CoapFencingToken s_fence = new(1);

    [Fact]
    public void A_state_has_at_most_the_documented_length()
    {
        byte[] longest = new byte[CoapRecordWrite.MaxStateLength];

        Assert.Equal(longest.Length, Put(longest, Timeout.InfiniteTimeSpan).State.Length);
        Assert.Throws<ArgumentOutOfRangeException>(() => Put(new byte[longest.Length + 1], Timeout.InfiniteTimeSpan));
    }

    [Fact]
    public void A_lifetime_is_positive_or_has_no_end()
    {
        Assert.Equal(FromTicks(1), Put([], FromTicks(1)).Lifetime);
        Assert.Equal(Timeout.InfiniteTimeSpan, Put([], Timeout.InfiniteTimeSpan).Lifetime);
        Assert.Throws<ArgumentOutOfRangeException>(() => Put([], TimeSpan.Zero));
        Assert.Throws<ArgumentOutOfRangeException>(() => Put([], FromTicks(-1)));
    }

    private static CoapRecordWrite Put(byte[] state, TimeSpan lifetime) => CoapRecordWrite.Put(s_key, s_fence, state, lifetime);
}
