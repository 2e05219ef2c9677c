using CoAP.NET.Oscore;

namespace CoAP.NET.Cluster.Tests.Oscore;

/// <summary>Bytes that no version of the library wrote are not read as numbers that were used.</summary>
public sealed class OscoreRecordStateTests
{
    private static readonly byte[] s_good = new OscoreRecordState(3, 100, new OscoreReceivedNumbers(5, new byte[8])).ToBytes();

    [Fact]
    public void What_was_written_is_read() => Assert.Equal((3UL, 100UL, 5UL), OscoreRecordState.Parse(s_good) is { } state
        ? (state.Epoch, state.Bound, state.Received!.Next) : default);

    [Theory]
    [InlineData(0, 2)]
    [InlineData(17, 2)]
    [InlineData(17, 0)]
    public void A_changed_version_or_mark_is_damage(int at, byte value)
    {
        byte[] changed = [.. s_good];
        changed[at] = value;

        Assert.Null(OscoreRecordState.Parse(changed));
    }
}
