using System.Globalization;
using CoAP.NET.Serialization;

namespace CoAP.NET.Tests.Serialization;

/// <summary>The four forms of a frame's length (RFC 8323 section 3.2).</summary>
[Rfc("8323-3.2-1")]
public class FrameLengthTests
{
    private static readonly CoapStreamSerializer s_serializer = new(new CoapSerializerOptions { MaxMessageSize = 32 * 1024 * 1024 });

    [Theory]
    [InlineData(0, "0045", "01457f")]
    [InlineData(2, "2045", "21457f")]
    [InlineData(12, "c045", "c1457f")]
    [InlineData(13, "d00045", "d100457f")]
    [InlineData(14, "d00145", "d101457f")]
    [InlineData(268, "d0ff45", "d1ff457f")]
    [InlineData(269, "e0000045", "e10000457f")]
    [InlineData(270, "e0000145", "e10001457f")]
    [InlineData(65_804, "e0ffff45", "e1ffff457f")]
    [InlineData(65_805, "f00000000045", "f100000000457f")]
    [InlineData(65_806, "f00000000145", "f100000001457f")]
    [InlineData(16_777_216, "f000fefef345", "f100fefef3457f")]
    public void Length_is_written_and_read(int length, string header, string headerWithToken)
    {
        AssertHeader(length, header, default);
        AssertHeader(length, headerWithToken, new CoapToken([0x7f]));
    }

    [Fact]
    public void A_frame_of_length_1_has_a_single_option()
    {
        CoapMessage message = new(CoapCode.Content);
        message.Options.Add(12, default);
        Assert.Equal("1045c0", Wire.Hex(CoapStreamSerializer.Default.Serialize(message)));
    }

    [Theory]
    [InlineData(0L, 0, "")]
    [InlineData(12L, 12, "")]
    [InlineData(13L, 13, "00")]
    [InlineData(268L, 13, "ff")]
    [InlineData(269L, 14, "0000")]
    [InlineData(65_804L, 14, "ffff")]
    [InlineData(65_805L, 15, "00000000")]
    [InlineData(4_295_033_100L, 15, "ffffffff")]
    public void An_extended_field_survives_a_round_trip(long value, int field, string extension)
    {
        Span<byte> bytes = stackalloc byte[4];
        Assert.Equal(field, ExtendedField.FieldFor(value));
        int written = ExtendedField.WriteExtension(bytes, value);
        Assert.Equal(extension, Wire.Hex(bytes[..written]));
        Assert.Equal(written, ExtendedField.SizeOfExtension(field));
        Assert.Equal(value, ExtendedField.Read(field, bytes));
    }

    [Theory]
    [InlineData("f0ffffffff45")]
    [InlineData("f1ffffffff457f")]
    [Rfc("8323-5.3.1-2")]
    public void Largest_length_is_refused_even_without_a_limit(string hex)
    {
        // No array holds 4 GiB, so this is the limit that cannot be lifted.
        CoapStreamSerializer serializer = new(new CoapSerializerOptions { MaxMessageSize = long.MaxValue });
        Assert.False(serializer.TryDeserialize(Segments.Of(Wire.Hex(hex), 2), out _, out _, out CoapFormatError error));
        Assert.Equal(CoapMessageFormatViolation.MessageTooLarge, error.Rule);
    }

    [Fact]
    public void Size_is_known_before_writing()
    {
        CoapMessage message = new(CoapCode.Content) { Payload = new byte[16_777_215] };
        Assert.Equal(6 + 16_777_216L, CoapStreamSerializer.Default.GetSize(message));
        Assert.Equal(4 + 16_777_216L, CoapDatagramSerializer.Default.GetSize(message));
        Assert.Equal(2 + 16_777_216L, CoapWebSocketSerializer.Default.GetSize(message));
    }

    private static void AssertHeader(int length, string header, CoapToken token)
    {
        CoapMessage message = new(CoapCode.Content) { Token = token, Payload = length == 0 ? default : new byte[length - 1] };
        byte[] bytes = s_serializer.Serialize(message);
        string expected = length == 0 ? header : header + "ff";
        Assert.Equal(expected, Wire.Hex(bytes.AsSpan(0, expected.Length / 2)));
        Assert.Equal((header.Length / 2) + length, bytes.Length);

        CoapMessage read = s_serializer.Deserialize(bytes.AsMemory());
        Assert.Equal(Math.Max(0, length - 1), read.Payload.Length);
        Assert.Equal(token, read.Token);
        Assert.Equal("2.05 Content", string.Create(CultureInfo.InvariantCulture, $"{read.Code}"));
    }
}
