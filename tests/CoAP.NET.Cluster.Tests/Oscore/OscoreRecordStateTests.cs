using CoAP.NET.Cluster.Oscore;

namespace CoAP.NET.Cluster.Tests.Oscore;

/// <summary>Each version reads epoch and bound of each other version, and bytes of no version are not read as numbers.</summary>
public sealed class OscoreRecordStateTests
{
    private static readonly byte[] s_good = new OscoreRecordState(3, 100, new OscoreReceivedNumbers(5, new byte[8])).ToBytes();

    [Fact]
    public void A_written_record_is_read_back() => Assert.Equal((3UL, 100UL, 5UL), OscoreRecordState.Parse(s_good) is { } state
        ? (state.Epoch, state.Bound, state.Received!.Next) : default);

    [Fact]
    public void The_record_format_is_fixed_so_that_each_version_reads_it() => Assert.Equal(
        [0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0], s_good);

    [Theory]
    [InlineData("")]
    [InlineData("ff")]
    [InlineData("ffffffffffffffff00")]
    public void Data_after_the_bound_from_another_version_is_ignored(string rest) =>
        Assert.Equal(new OscoreRecordState(3, 100, null),
            OscoreRecordState.Parse([.. s_good.AsSpan(0, 16), .. Convert.FromHexString(rest)]));

    [Fact]
    public void Truncated_records_and_impossible_numbers_are_damage()
    {
        Assert.Null(OscoreRecordState.Parse(s_good.AsSpan(0, 15)));
        Assert.Null(OscoreRecordState.Parse([0xff, .. s_good.AsSpan(1)]));
        Assert.Null(OscoreRecordState.Parse(new OscoreRecordState(3, (1UL << 40) + 1, null).ToBytes()));
    }
}
