using CoAP.NET.Oscore.Protection;

namespace CoAP.NET.Oscore.Tests.Protection;

public sealed class OptionValueTests
{
    [Theory]
    [InlineData("", null, null, "")]
    [InlineData("090525", null, "25", "05")]
    [InlineData("0900", null, "", "00")]
    [InlineData("19050544616c656b", "44616c656b", "", "05")]
    [InlineData("0107", null, null, "07")]
    [InlineData("1dfffffffffe0837cbf3210017a2d3a0a1a2a3a4a5a6", "37cbf3210017a2d3", "a0a1a2a3a4a5a6", "fffffffffe")]
    [InlineData("1a01000000", "", "00", "0100")]
    [InlineData("100948d8563db4153f94f9", "48d8563db4153f94f9", null, "")]
    [Rfc("8613-2-1", "8613-6.1-1")]
    public void Values_are_read_and_written_byte_for_byte(string hex, string? kidContext, string? kid, string partialIv)
    {
        byte[] bytes = Convert.FromHexString(hex);

        Assert.True(OscoreOptionValue.TryRead(bytes, out OscoreOptionValue value));

        Assert.Equal(partialIv, Convert.ToHexStringLower(value.PartialIv));
        Assert.Equal(kid, value.HasKid ? Convert.ToHexStringLower(value.Kid) : null);
        Assert.Equal(kidContext, value.HasKidContext ? Convert.ToHexStringLower(value.KidContext) : null);
        byte[] written = new byte[value.Length];
        Assert.Equal(written.Length, value.Write(written));
        Assert.Equal(hex, Convert.ToHexStringLower(written));
    }

    [Theory]
    [InlineData("06010203040506")]
    [InlineData("0701020304050607")]
    [InlineData("290525")]
    [InlineData("490525")]
    [InlineData("890525")]
    [InlineData("0b05")]
    [InlineData("19")]
    [InlineData("1905")]
    [InlineData("190502aa")]
    [InlineData("0105ff")]
    [InlineData("0a000525")]
    [Rfc("8613-6.1-1")]
    public void Reserved_bits_invalid_lengths_and_missing_or_extra_bytes_are_malformed(string hex) =>
        Assert.False(OscoreOptionValue.TryRead(Convert.FromHexString(hex), out _));

    [Fact]
    public void A_single_zero_byte_is_read_as_an_empty_value_and_never_written()
    {
        Assert.True(OscoreOptionValue.TryRead([0], out OscoreOptionValue value));
        Assert.Equal(0, value.Length);
    }

    [Theory]
    [InlineData(0ul, "00")]
    [InlineData(255ul, "ff")]
    [InlineData(256ul, "0100")]
    [InlineData(OscoreOptionValue.MaxSequenceNumber, "ffffffffff")]
    [Rfc("8613-5-1")]
    public void Numbers_are_written_without_leading_zeros(ulong number, string hex)
    {
        byte[] bytes = new byte[5];
        int length = OscoreOptionValue.WritePartialIv(number, bytes);
        Assert.Equal(hex, Convert.ToHexStringLower(bytes.AsSpan(0, length)));
        Assert.Equal(number, new OscoreOptionValue { PartialIv = bytes.AsSpan(0, length) }.SequenceNumber);
    }

    [Fact]
    public void Reading_random_bytes_throws_no_exception()
    {
        Random random = new(1);
        byte[] bytes = new byte[32];
        for (int i = 0; i < 10_000; i++)
        {
            random.NextBytes(bytes);
            int length = random.Next(bytes.Length + 1);
            if (length > 0 && (i & 1) == 0)
            {
                bytes[0] &= 0x1f;
            }

            if (OscoreOptionValue.TryRead(bytes.AsSpan(0, length), out OscoreOptionValue value))
            {
                Assert.InRange(value.Length, 0, length);
            }
        }
    }
}
