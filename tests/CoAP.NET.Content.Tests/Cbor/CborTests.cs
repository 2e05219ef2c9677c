using System.Formats.Cbor;
using System.Globalization;
using System.Numerics;

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
    public void Unsigned_integers_have_the_shortest_encoding(ulong value, string hex)
    {
        Assert.Equal(hex, Written(writer => writer.WriteUInt64(value)));
        Assert.True(UntrustedCborReader.TryRead(Wire.Hex(hex), reader => reader.ReadUInt64(), out ulong read, out _));
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
    public void Signed_integers_are_encoded_and_decoded(long value, string hex)
    {
        Assert.Equal(hex, Written(writer => writer.WriteInt64(value)));
        Assert.True(UntrustedCborReader.TryRead(Wire.Hex(hex), reader => reader.ReadInt64(), out long read, out _));
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
    public void Floating_point_numbers_have_the_shortest_encoding_that_keeps_their_value(double value, string hex)
    {
        Assert.Equal(hex, Written(writer => writer.WriteDouble(value)));
        bool isRead = UntrustedCborReader.TryRead(Wire.Hex(hex), UntrustedCborReader.ReadNumber, out double read, out _);
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
        Assert.True(UntrustedCborReader.TryRead(Wire.Hex(hex), UntrustedCborReader.ReadNumber, out double read, out _));
        Assert.Equal(value, read);
    }

    [Theory]
    [InlineData(5, "05")]
    [InlineData(-5, "24")]
    [InlineData(-0.0, "f98000")]
    [InlineData(0.5, "f93800")]
    [InlineData(9007199254740992.0, "1b0020000000000000")]
    [InlineData(1e16, "fb4341c37937e08000")]
    public void A_double_with_an_integer_value_is_encoded_as_an_integer(double value, string hex) =>
        Assert.Equal(hex, Written(writer => writer.WriteNumber(value)));

    [Theory]
    [Rfc("8949-4.1-1")]
    [InlineData("18446744073709551615", "1bffffffffffffffff")]
    [InlineData("18446744073709551616", "c249010000000000000000")]
    [InlineData("-18446744073709551616", "3bffffffffffffffff")]
    [InlineData("-18446744073709551617", "c349010000000000000000")]
    [InlineData("-1", "20")]
    public void Integers_of_any_size_are_written_and_read(string value, string hex)
    {
        BigInteger integer = BigInteger.Parse(value, CultureInfo.InvariantCulture);
        Assert.Equal(hex, Written(writer => writer.WriteInteger(integer)));
        Assert.True(UntrustedCborReader.TryRead(Wire.Hex(hex), UntrustedCborReader.ReadInteger, out BigInteger read, out _));
        Assert.Equal(integer, read);
    }

    [Fact]
    [Rfc("8949-4.2-1")]
    public void Strings_arrays_maps_and_simple_values_are_encoded()
    {
        Assert.Equal("4401020304", Written(writer => writer.WriteByteString([1, 2, 3, 4])));
        Assert.Equal("62c3bc", Written(writer => writer.WriteTextString("ü")));
        Assert.Equal("63efbfbd", Written(writer => writer.WriteTextString("\ud800")));
        Assert.Equal("a26161016162820203", Written(writer =>
        {
            writer.WriteStartMap(2);
            writer.WriteTextString("a");
            writer.WriteInt32(1);
            writer.WriteTextString("b");
            writer.WriteStartArray(2);
            writer.WriteInt32(2);
            writer.WriteInt32(3);
            writer.WriteEndArray();
            writer.WriteEndMap();
        }));
        Assert.Equal("f4f5f6", Written(writer =>
        {
            writer.WriteBoolean(false);
            writer.WriteBoolean(true);
            writer.WriteNull();
        }));
        Assert.Equal("c11a514b67b0", Written(writer => writer.WriteUnixTimeSeconds(1363896240)));
    }

    [Fact]
    public void Strings_of_indefinite_length_are_concatenated()
    {
        Assert.True(UntrustedCborReader.TryRead(Wire.Hex("5f42010243030405ff7f657374726561646d696e67ff"),
            reader => (Wire.Hex(reader.ReadByteString()), reader.ReadText()), out (string Bytes, string Text) read, out _,
            isSequence: true));
        Assert.Equal(("0102030405", "streaming"), read);
    }

    [Theory]
    [InlineData("83010203", 0, "an array was not expected")]
    [InlineData("6161", 0, "a text string was not expected")]
    [InlineData("3bffffffffffffffff", 0, "the integer is out of range")]
    [InlineData("1a0000", 0, "the data ends too early")]
    [InlineData("0100", 1, "something follows the end of the item")]
    public void A_fault_has_an_offset_and_a_message(string hex, int offset, string message)
    {
        Assert.False(UntrustedCborReader.TryRead(Wire.Hex(hex), reader => reader.ReadInt64(), out long _, out ContentFault fault));
        Assert.Equal(new ContentFault(offset, message), fault);
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
    public void Well_formed_items_are_skipped(string hex)
    {
        Assert.True(IsSkipped(Wire.Hex(hex), out ContentFault fault), fault.Message);
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
    public void Malformed_items_are_refused_as_a_whole(string hex)
    {
        Assert.False(IsSkipped(Wire.Hex(hex), out ContentFault fault));
        Assert.NotEmpty(fault.Message);
        Assert.InRange(fault.Offset, 0, hex.Length / 2);
    }

    [Theory]
    [Rfc("8949-10-1")]
    [InlineData(0x81)]
    [InlineData(0x9f)]
    [InlineData(0xc1)]
    [InlineData(0xa1)]
    public void CBOR_nested_beyond_MaxDepth_is_refused(byte initial)
    {
        byte[] deep = [.. Enumerable.Repeat(initial, 100_000), 0];
        Assert.False(IsSkipped(deep, out ContentFault fault));
        Assert.InRange(fault.Offset, 1, UntrustedCborReader.MaxDepth);
    }

    [Fact]
    public void Claimed_lengths_allocate_no_memory()
    {
        byte[] claim = Wire.Hex("5a7fffffff00");
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 100; i++)
        {
            Assert.False(UntrustedCborReader.TryRead(claim, reader => reader.ReadByteString(), out _, out _));
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
            byte[] data = bytes[..(1 + (bytes[23] % 20))];
            bool isSkipped = IsSkipped(data, out ContentFault fault);
            Assert.True(isSkipped || fault.Message.Length > 0);
            wellFormed += isSkipped ? 1 : 0;
            bool isNumber = UntrustedCborReader.TryRead(data, UntrustedCborReader.ReadNumber, out double number, out fault);
            Assert.True(isNumber ? double.IsFinite(number) && isSkipped : fault.Message.Length > 0);
            Assert.True(!UntrustedCborReader.TryRead(data, UntrustedCborReader.ReadText, out _, out _) || isSkipped);
            Assert.True(!UntrustedCborReader.TryRead(data, reader => reader.ReadByteString(), out _, out _) || isSkipped);
        }

        Assert.True(wellFormed > 0);
    }

    private static string Written(Action<CborWriter> write)
    {
        CborWriter writer = CborNumberWriter.Create();
        write(writer);
        return Wire.Hex(writer.Encode());
    }

    private static bool IsSkipped(byte[] data, out ContentFault fault) => UntrustedCborReader.TryRead(
        data,
        reader =>
        {
            reader.Skip();
            return true;
        },
        out _,
        out fault);
}
