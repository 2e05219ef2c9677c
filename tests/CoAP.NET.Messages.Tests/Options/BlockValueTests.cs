namespace CoAP.NET.Tests.Options;

/// <summary>The value of the Block options (RFC 7959 section 2.2).</summary>
public sealed class BlockValueTests
{
    [Theory]
    [InlineData(0, false, 16, "", 0u, 0)]
    [InlineData(0, true, 16, "08", 8u, 0)]
    [InlineData(0, false, 64, "02", 2u, 0)]
    [InlineData(0, true, 64, "0a", 10u, 0)]
    [InlineData(0, false, 1024, "06", 6u, 0)]
    [InlineData(0, true, 1024, "0e", 14u, 0)]
    [InlineData(1, false, 16, "10", 16u, 16)]
    [InlineData(1, false, 64, "12", 18u, 64)]
    [InlineData(1, true, 128, "1b", 27u, 128)]
    [InlineData(2, false, 32, "21", 33u, 64)]
    [InlineData(3, true, 128, "3b", 59u, 384)]
    [InlineData(15, false, 1024, "f6", 246u, 15360)]
    [InlineData(15, true, 1024, "fe", 254u, 15360)]
    [InlineData(16, false, 16, "0100", 256u, 256)]
    [InlineData(16, true, 1024, "010e", 270u, 16384)]
    [InlineData(17, false, 256, "0114", 276u, 4352)]
    [InlineData(255, true, 64, "0ffa", 4090u, 16320)]
    [InlineData(4095, true, 1024, "fffe", 65534u, 4193280)]
    [InlineData(4096, false, 16, "010000", 65536u, 65536)]
    [InlineData(65535, true, 64, "0ffffa", 1048570u, 4194240)]
    [InlineData(65536, false, 1024, "100006", 1048582u, 67108864)]
    [InlineData(1048575, false, 1024, "fffff6", 16777206u, 1073740800)]
    [InlineData(1048575, true, 1024, "fffffe", 16777214u, 1073740800)]
    [Rfc("7959-2.2-3", "7959-2.2-4")]
    public void A_block_value_is_read_and_written_as_in_the_table(int number, bool more, int size, string bytes, uint value, long offset)
    {
        Assert.True(BlockValue.TryParse(Wire.Hex(bytes), out BlockValue block));
        Assert.Equal((number, more, size, offset), (block.Number, block.More, block.Size, block.ByteOffset));
        Assert.Equal(value, block.Value);
        Assert.Equal(block, BlockValue.FromSize(number, more, size));
        Assert.Equal(block, BlockValue.FromUInt32(value));
        Assert.Equal(block, BlockValue.FromOffset(offset, more, block.SizeExponent));

        Span<byte> written = stackalloc byte[3];
        Assert.Equal(bytes, Wire.Hex(written[..block.Write(written)]));
        Assert.Equal(bytes, Wire.Hex(new Block1Option(block).ToValueArray()));
        Assert.Equal($"{number}/{(more ? 1 : 0)}/{size}", block.ToString());
    }

    [Theory]
    [InlineData("00", 0, 16)]
    [InlineData("000012", 1, 64)]
    public void Leading_zeros_are_accepted(string bytes, int number, int size)
    {
        Assert.True(BlockValue.TryParse(Wire.Hex(bytes), out BlockValue block));
        Assert.Equal((number, size), (block.Number, block.Size));
    }

    [Fact]
    public void A_block_value_of_four_bytes_is_refused()
    {
        Assert.False(BlockValue.TryParse(Wire.Hex("00000012"), out _));
        Assert.Throws<ArgumentOutOfRangeException>(() => BlockValue.FromUInt32(0x100_0000));
    }

    [Theory]
    [InlineData("07", 0, false)]
    [InlineData("0f", 0, true)]
    [InlineData("17", 1, false)]
    [Rfc("7959-2.2-1")]
    public void A_size_exponent_of_7_is_BERT_and_counts_blocks_of_1024_bytes(string bytes, int number, bool more)
    {
        Assert.True(BlockValue.TryParse(Wire.Hex(bytes), out BlockValue block));
        Assert.True(block.IsBert);
        Assert.Equal((number, more, 1024, number * 1024L), (block.Number, block.More, block.Size, block.ByteOffset));
        Assert.Equal($"{number}/{(more ? 1 : 0)}/BERT", block.ToString());
    }

    [Fact]
    [Rfc("7959-2.3-3", "7959-2.4-8")]
    public void Changing_the_size_exponent_keeps_the_offset_in_the_body()
    {
        Assert.Equal(new BlockValue(2, false, 2), new BlockValue(1, false, 3).WithSizeExponent(2));
        Assert.Equal(new BlockValue(4, true, 1), new BlockValue(1, true, 3).WithSizeExponent(1));
        Assert.Equal(new BlockValue(1, true, 3), new BlockValue(4, true, 1).WithSizeExponent(3));
        Assert.Throws<ArgumentOutOfRangeException>(() => new BlockValue(3, true, 1).WithSizeExponent(3));
        Assert.Throws<ArgumentOutOfRangeException>(() => new BlockValue(BlockValue.MaxNumber, true, 6).WithSizeExponent(5));
    }

    [Theory]
    [InlineData(16, 0)]
    [InlineData(31, 0)]
    [InlineData(32, 1)]
    [InlineData(1023, 5)]
    [InlineData(1024, 6)]
    [InlineData(100_000, 6)]
    public void GetSizeExponent_returns_the_exponent_of_the_largest_block_that_fits(int size, int exponent) =>
        Assert.Equal(exponent, BlockValue.GetSizeExponent(size));

    [Fact]
    public void Block_values_out_of_range_are_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new BlockValue(-1, false, 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => new BlockValue(1048576, false, 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => new BlockValue(0, false, 8));
        Assert.Throws<ArgumentOutOfRangeException>(() => BlockValue.FromSize(0, false, 15));
        Assert.Throws<ArgumentOutOfRangeException>(() => BlockValue.FromOffset(17, false, 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => BlockValue.FromOffset(-16, false, 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => BlockValue.GetSizeExponent(15));
    }

    // The values of the figures of RFC 7959, each as number, more and size.
    [Theory]
    [InlineData("0b", "0/1/128")]
    [InlineData("1b", "1/1/128")]
    [InlineData("23", "2/0/128")]
    [InlineData("52", "5/0/64")]
    [InlineData("2a", "2/1/64")]
    [InlineData("09", "0/1/32")]
    [InlineData("49", "4/1/32")]
    [InlineData("61", "6/0/32")]
    [InlineData("33", "3/0/128")]
    public void The_block_values_in_the_figures_of_RFC_7959_are_read_as_printed(string bytes, string text)
    {
        Assert.True(BlockValue.TryParse(Wire.Hex(bytes), out BlockValue block));
        Assert.Equal(text, block.ToString());
    }
}
