using CoAP.NET.Content.Cbor;
using CoAP.NET.Testing;

namespace CoAP.NET.Content.Tests.Cbor;

/// <summary>CBOR, against the examples of RFC 8949 appendix A and what is not well-formed.</summary>
public sealed class CborTests
{
    [Theory]
    [Rfc("8949-4.1-1")]
    [InlineData(0UL, "00")]
    [InlineData(10UL, "0a")]
    [InlineData(23UL, "17")]
    [InlineData(24UL, "1818")]
    [InlineData(100UL, "1864")]
    [InlineData(255UL, "18ff")]
    [InlineData(256UL, "190100")]
    [InlineData(1000UL, "1903e8")]
    [InlineData(65536UL, "1a00010000")]
    [InlineData(1000000UL, "1a000f4240")]
    [InlineData(1000000000000UL, "1b000000e8d4a51000")]
    [InlineData(18446744073709551615UL, "1bffffffffffffffff")]
    public void Unsigned_integers_take_as_few_bytes_as_they_need(ulong value, string hex)
    {
        Assert.Equal(hex, Wire.Hex(new CborWriter().WriteUInt(value).ToArray()));
        CborReader reader = new(Wire.Hex(hex));
        Assert.True(reader.TryReadUInt(out ulong read) && reader.TryEnd());
        Assert.Equal(value, read);
    }

    [Theory]
    [Rfc("8949-4.1-1")]
    [InlineData(-1, "20")]
    [InlineData(-10, "29")]
    [InlineData(-100, "3863")]
    [InlineData(-1000, "3903e7")]
    [InlineData(23, "17")]
    [InlineData(long.MinValue, "3b7fffffffffffffff")]
    [InlineData(long.MaxValue, "1b7fffffffffffffff")]
    public void Integers_with_sign(long value, string hex)
    {
        Assert.Equal(hex, Wire.Hex(new CborWriter().WriteInt(value).ToArray()));
        CborReader reader = new(Wire.Hex(hex));
        Assert.True(reader.TryReadInt(out long read) && reader.TryEnd());
        Assert.Equal(value, read);
    }

    [Theory]
    [Rfc("8949-4.1-1")]
    [InlineData(0.0, "f90000")]
    [InlineData(-0.0, "f98000")]
    [InlineData(1.0, "f93c00")]
    [InlineData(1.1, "fb3ff199999999999a")]
    [InlineData(1.5, "f93e00")]
    [InlineData(65504.0, "f97bff")]
    [InlineData(100000.0, "fa47c35000")]
    [InlineData(3.4028234663852886e+38, "fa7f7fffff")]
    [InlineData(1.0e+300, "fb7e37e43c8800759c")]
    [InlineData(5.960464477539063e-8, "f90001")]
    [InlineData(0.00006103515625, "f90400")]
    [InlineData(-4.0, "f9c400")]
    [InlineData(-4.1, "fbc010666666666666")]
    [InlineData(double.PositiveInfinity, "f97c00")]
    [InlineData(double.NegativeInfinity, "f9fc00")]
    [InlineData(double.NaN, "f97e00")]
    public void Floating_point_numbers_take_the_shortest_form_that_loses_nothing(double value, string hex)
    {
        Assert.Equal(hex, Wire.Hex(new CborWriter().WriteDouble(value).ToArray()));
        CborReader reader = new(Wire.Hex(hex));
        bool isRead = reader.TryReadNumber(out double read);
        Assert.Equal(double.IsFinite(value), isRead);
        if (isRead)
        {
            Assert.Equal(BitConverter.DoubleToInt64Bits(value), BitConverter.DoubleToInt64Bits(read));
        }
    }

    [Theory]
    [InlineData("1bffffffffffffffff", 18446744073709551615.0)]
    [InlineData("3bffffffffffffffff", -18446744073709551616.0)]
    [InlineData("1b0020000000000003", 9007199254740996.0)] // half way: to the even one
    [InlineData("3b0020000000000002", -9007199254740996.0)]
    [InlineData("c2480020000000000003", 9007199254740996.0)]
    [InlineData("c249010000000000000000", 18446744073709551616.0)]
    [InlineData("c349010000000000000000", -18446744073709551617.0)]
    [InlineData("c48221196ab3", 273.15)] // the decimal fraction of RFC 8949 section 3.4.4
    [InlineData("c49f21196ab3ff", 273.15)]
    [InlineData("c48220c249010000000000000000", 1844674407370955161.6)]
    [InlineData("fb3ff0000000000000", 1.0)]
    [InlineData("fa3f800000", 1.0)]
    public void A_number_is_read_in_any_form(string hex, double value)
    {
        CborReader reader = new(Wire.Hex(hex));
        Assert.True(reader.TryReadNumber(out double read) && reader.TryEnd());
        Assert.Equal(value, read);
    }

    [Theory]
    [InlineData(5, "05")]
    [InlineData(-5, "24")]
    [InlineData(-0.0, "f98000")]
    [InlineData(0.5, "f93800")]
    [InlineData(9007199254740992.0, "1b0020000000000000")]
    [InlineData(1e16, "fb4341c37937e08000")]
    public void A_number_is_written_as_an_integer_where_a_double_holds_it_exactly(double value, string hex) =>
        Assert.Equal(hex, Wire.Hex(new CborWriter().WriteNumber(value).ToArray()));

    [Fact]
    [Rfc("8949-4.2-1")]
    public void Strings_arrays_maps_and_simple_values()
    {
        Assert.Equal("4401020304", Wire.Hex(new CborWriter().WriteBytes([1, 2, 3, 4]).ToArray()));
        Assert.Equal("62c3bc", Wire.Hex(new CborWriter().WriteText("ü").ToArray()));
        Assert.Equal("83010203", Wire.Hex(new CborWriter().WriteArray(3).WriteUInt(1).WriteUInt(2).WriteUInt(3).ToArray()));
        Assert.Equal("a26161016162820203",
            Wire.Hex(new CborWriter().WriteMap(2).WriteText("a").WriteUInt(1).WriteText("b").WriteArray(2).WriteUInt(2).WriteUInt(3)
                .ToArray()));
        Assert.Equal("f4f5f6", Wire.Hex(new CborWriter().WriteBoolean(false).WriteBoolean(true).WriteNull().ToArray()));
        Assert.Equal("c11a514b67b0", Wire.Hex(new CborWriter().WriteTag(1).WriteUInt(1363896240).ToArray()));
    }

    [Fact]
    public void Strings_of_indefinite_length_are_put_together()
    {
        CborReader reader = new(Wire.Hex("5f42010243030405ff7f657374726561646d696e67ff"));
        Assert.True(reader.TryReadBytes(out byte[] bytes));
        Assert.Equal("0102030405", Wire.Hex(bytes));
        Assert.True(reader.TryReadText(out string text) && reader.TryEnd());
        Assert.Equal("streaming", text);
    }

    [Theory]
    [Rfc("8949-5.3-1")]
    [InlineData("00")]
    [InlineData("f7")]
    [InlineData("f8ff")]
    [InlineData("c11a514b67b0")]
    [InlineData("9fff")]
    [InlineData("bf6346756ef563416d7421ff")]
    [InlineData("5f42010243030405ff")]
    [InlineData("826161bf61626163ff")]
    [InlineData("fb3ff199999999999a")]
    public void What_is_well_formed_is_passed_over(string hex)
    {
        CborReader reader = new(Wire.Hex(hex));
        Assert.True(reader.TrySkip() && reader.TryEnd(), reader.Fault.Message);
    }

    [Theory]
    [Rfc("8949-5.3-1", "8949-10-1")]
    [InlineData("")]
    [InlineData("f800")]
    [InlineData("f81f")]
    [InlineData("1c")]
    [InlineData("1d")]
    [InlineData("1e")]
    [InlineData("fe")]
    [InlineData("1f")]
    [InlineData("df")]
    [InlineData("ff")]
    [InlineData("18")]
    [InlineData("1900")]
    [InlineData("5f00ff")]
    [InlineData("5f6100ff")]
    [InlineData("5f5f4100ffff")]
    [InlineData("7f4100ff")]
    [InlineData("8201")]
    [InlineData("a161")]
    [InlineData("a16161")]
    [InlineData("bf6161ff")]
    [InlineData("9f")]
    [InlineData("62c3")]
    [InlineData("61ff")]
    [InlineData("62c328")]
    [InlineData("c1")]
    [InlineData("0000")]
    [InlineData("9bffffffffffffffff")]
    [InlineData("bbffffffffffffffff")]
    [InlineData("5bffffffffffffffff")]
    [InlineData("7b7fffffffffffffff00")]
    public void What_is_not_well_formed_is_refused_as_a_whole(string hex)
    {
        CborReader reader = new(Wire.Hex(hex));
        Assert.False(reader.TrySkip() && reader.TryEnd());
        Assert.NotNull(reader.Fault.Message);
        Assert.InRange(reader.Fault.Offset, 0, hex.Length / 2);
    }

    [Theory]
    [Rfc("8949-10-1")]
    [InlineData(0x81)]
    [InlineData(0x9f)]
    [InlineData(0xc1)]
    [InlineData(0xa1)]
    public void Depth_is_bounded(byte initial)
    {
        byte[] deep = [.. Enumerable.Repeat(initial, 100_000), 0];
        CborReader reader = new(deep);
        Assert.False(reader.TrySkip());
        Assert.InRange(reader.Fault.Offset, 1, CborReader.MaxDepth);
    }

    [Fact]
    public void Claimed_lengths_allocate_nothing()
    {
        byte[] claim = Wire.Hex("5a7fffffff00");
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 100; i++)
        {
            CborReader reader = new(claim);
            Assert.False(reader.TryReadBytes(out _));
        }

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 100_000);
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public void Random_bytes_are_read_or_refused()
    {
        VirtualRandom random = new((ulong)Campaign.Seed(1));
        byte[] bytes = new byte[24];
        int wellFormed = 0;
        for (int i = 0; i < Campaign.Rounds(50_000); i++)
        {
            random.Fill(bytes);
            ReadOnlySpan<byte> data = bytes.AsSpan(0, 1 + (bytes[23] % 20));
            CborReader skipping = new(data);
            bool isSkipped = skipping.TrySkip();
            wellFormed += isSkipped ? 1 : 0;
            CborReader reading = new(data);
            _ = reading.TryReadNumber(out double number);
            Assert.True(double.IsFinite(number) || reading.Fault.Message is not null);
            reading = new CborReader(data);
            Assert.True(!reading.TryReadText(out _) || isSkipped);
            reading = new CborReader(data);
            Assert.True(!reading.TryReadBytes(out _) || isSkipped);
        }

        Assert.True(wellFormed > 0);
    }
}
