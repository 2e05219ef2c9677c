namespace CoAP.NET.Content.Tests.Cbor;

/// <summary>Diagnostic notation as users call it.</summary>
public sealed class CborNotationTests
{
    [Theory]
    [InlineData("24", 2)]
    [InlineData("'abc'", 4)]
    [InlineData("[_ ]", 2)]
    [InlineData("(_ 'a')", 4)]
    [InlineData("<<1, 2>>", 3)]
    [InlineData("18446744073709551616", 11)]
    public void CBOR_of_exactly_maxSize_bytes_is_parsed_and_one_byte_more_is_refused(string notation, int size)
    {
        Assert.Equal(size, CoapCborNotation.Parse(notation, maxSize: size).Length);
        Assert.False(CoapCborNotation.TryParse(notation, out _, out CoapContentSyntaxError error, maxSize: size - 1));
        error.Message.Mentions("exceeds the limit");
    }

    [Fact]
    public void An_item_is_formatted_on_a_single_line_unless_a_width_is_given()
    {
        byte[] cbor = Wire.Hex("a201826161616202f5");

        Assert.True(CoapCborNotation.TryFormat(cbor, out string line, out CoapContentSyntaxError error));
        Assert.True(CoapCborNotation.TryFormat(cbor, out string folded, out _, width: 10));

        Assert.Equal("""{1: ["a", "b"], 2: true}""", line);
        Assert.Equal(default, error);
        Assert.Equal(["{", "  1: [", "    \"a\",", "    \"b\"", "  ],", "  2: true", "}"], folded.Split('\n'));
    }

    [Fact]
    public void Bytes_after_an_item_are_an_error_unless_a_sequence_is_allowed()
    {
        Assert.False(CoapCborNotation.TryFormat(Wire.Hex("0102"), out _, out CoapContentSyntaxError error));
        Assert.Equal((1, "something follows the end of the item"), (error.Offset, error.Message));
        Assert.True(CoapCborNotation.TryFormat(Wire.Hex("0102"), out string sequence, out _, isSequence: true));
        Assert.Equal("1,\n2", sequence);
    }

    [Fact]
    public void The_notation_of_hostile_text_contains_no_control_characters()
    {
        Assert.True(CoapCborNotation.TryFormat([0x65, 0x1b, .. "[2J\a"u8], out string notation, out _));
        Assert.DoesNotContain(notation, char.IsControl);
    }

    [Fact]
    public void A_width_is_positive() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => CoapCborNotation.TryFormat([0], out _, out _, width: 0));
}
