using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Diagnostics;

/// <summary>Text of strangers, before it is shown.</summary>
public sealed class ForeignTextTests
{
    [Theory]
    [InlineData(null, "")]
    [InlineData("", "")]
    [InlineData("CN=device 7, O=Änderung", "CN=device 7, O=Änderung")]
    [InlineData("a\r\nb\tc\0d\u007fe\u009bf", "a  b c d e f")]
    [InlineData("\u001b[2J\u0007", " [2J ")]
    [InlineData("a\u2028b\u2029c\u202ed\u2066e\u200ff", "a b c d e f")]
    public void Control_characters_line_ends_and_marks_of_direction_become_spaces(string? text, string shown) =>
        Assert.Equal(shown, CoapUntrustedText.LineOf(text));

    [Fact]
    public void A_harmless_text_is_returned_unchanged()
    {
        string text = new('x', CoapUntrustedText.MaxLength);
        Assert.Same(text, CoapUntrustedText.LineOf(text));
    }

    [Fact]
    public void A_text_above_the_maximum_length_is_cut()
    {
        Assert.Equal(new string('x', CoapUntrustedText.MaxLength),
            CoapUntrustedText.LineOf(new string('x', CoapUntrustedText.MaxLength + 1)));
        Assert.Equal(CoapUntrustedText.MaxLength, CoapUntrustedText.LineOf(new byte[5000]).Length);
    }

    [Fact]
    public void Invalid_UTF_8_bytes_are_shown_as_replacement_characters() =>
        Assert.Equal("a\ufffd b", CoapUntrustedText.LineOf([0x61, 0xff, 0x1b, 0x62]));
}
