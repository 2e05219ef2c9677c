using CoAP.NET.QBlock.Server;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>Lists of missing blocks (RFC 9177 section 5).</summary>
public sealed class MissingBlockListTests
{
    [Fact]
    public void A_list_is_a_sequence_of_the_shortest_integers()
    {
        byte[] list = MissingBlockList.Write([1, 24, 255, 256, 65_536, 1_048_575]);

        Assert.Equal("0118 18 18ff 190100 1a00010000 1a000fffff".Replace(" ", "", Ordinal), Wire.Hex(list));
        Assert.True(MissingBlockList.TryRead(list, 0xf_ffff, out List<int> numbers));
        Assert.Equal([1, 24, 255, 256, 65_536, 1_048_575], numbers);
    }

    [Fact]
    public void An_empty_missing_block_list_has_no_numbers()
    {
        Assert.True(MissingBlockList.TryRead([], 10, out List<int> numbers));
        Assert.Empty(numbers);
    }

    [Theory]
    [InlineData("0118")] // cut
    [InlineData("010b")] // beyond the largest number
    [InlineData("0120")] // negative
    [InlineData("1bffffffffffffffff")]
    [InlineData("1c")]
    [InlineData("1f")]
    [InlineData("8101")]
    [InlineData("f6")]
    public void A_malformed_list_of_missing_blocks_is_refused(string hex) =>
        Assert.False(MissingBlockList.TryRead(Wire.Hex(hex), 10, out _));
}
