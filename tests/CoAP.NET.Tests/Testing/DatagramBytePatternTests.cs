using CoAP.NET.Testing.Peers;

namespace CoAP.NET.Tests.Testing;

public class DatagramBytePatternTests
{
    [Theory]
    [InlineData("6045 7d34", "60457d34")]
    [InlineData("60 45 7D 34", "60457d34")]
    [InlineData("?? 45 ????", "60457d34")]
    [InlineData("6? ?5 7d34", "60457d34")]
    [InlineData("60 ..", "60457d34")]
    [InlineData("60457d34 ..", "60457d34")]
    [InlineData("..", "")]
    [InlineData("", "")]
    [InlineData("60 45 <mid:2>", "60457d34")]
    [InlineData("41 01 7d34 20 bb 'temperature'", "41017d3520bb74656d7065726174757265", false, 3)]
    [InlineData("41 01 7d35 20 bb 'temperature'", "41017d3520bb74656d7065726174757265")]
    [InlineData("'22.3 °C'", "32322e3320c2b043")]
    [InlineData("4? 01 <mid:2> <token:tkl> ff <body:*>", "42017d342021ff6869")]
    [InlineData("<a:1> <b:1> <a> <b>", "01020102")]
    [InlineData("<a:1> <b:1> <a> <b>", "01020103", false, 3)]
    [InlineData("6045", "60457d34", false, 2)]
    [InlineData("60457d34", "6045", false, 2)]
    [InlineData("60457d?5", "60457d34", false, 3)]
    [InlineData("?1", "60", false, 0)]
    [InlineData("6045 <mid:2>", "60457d", false, 2)]
    [InlineData("<token>", "20", false, 0)]
    [InlineData("<t:tkl>", "44", false, 0)]
    [InlineData("<t:tkl>", "")]
    [InlineData("<a:*>", "")]
    public void A_pattern_compares_byte_by_byte(string pattern, string hex, bool matches = true, int offset = -1)
    {
        BytePatternMatch match = DatagramBytePattern.Parse(pattern).Match(Wire.Hex(hex));
        Assert.Equal(matches, match.IsMatch);
        Assert.Equal(offset, match.Offset);
        Assert.Equal(matches, match.Reason.Length == 0);
    }

    [Fact]
    public void Captures_contain_the_matched_bytes_by_name()
    {
        BytePatternMatch match = DatagramBytePattern.Parse("4? 01 <mid:2> <token:tkl> ff <body:*>").Match(Wire.Hex("42017d342021ff6869"));
        Assert.Equal(Wire.Hex("7d34"), match.Captures["mid"]);
        Assert.Equal(Wire.Hex("2021"), match.Captures["token"]);
        Assert.Equal("hi"u8.ToArray(), match.Captures["body"]);
    }

    [Fact]
    public void A_name_in_a_pattern_matches_the_remembered_bytes()
    {
        Dictionary<string, byte[]> remembered = new() { ["mid"] = [0x7d, 0x34] };
        DatagramBytePattern pattern = DatagramBytePattern.Parse("60 45 <mid> ff 'hi'");
        Assert.True(pattern.Match(Wire.Hex("60457d34ff6869"), remembered).IsMatch);
        Assert.Equal("7d35, <mid> = 7d34 expected", pattern.Match(Wire.Hex("60457d35ff6869"), remembered).Reason);
        Assert.Equal(Wire.Hex("60457d34ff6869"), pattern.ToBytes(remembered));
    }

    [Fact]
    public void A_mismatch_reason_names_the_actual_and_the_expected_bytes()
    {
        Assert.Equal("34, ?5 expected", DatagramBytePattern.Parse("60457d?5").Match(Wire.Hex("60457d34")).Reason);
        Assert.Equal("2 more bytes, the end expected", DatagramBytePattern.Parse("6045").Match(Wire.Hex("60457d34")).Reason);
        Assert.Equal("the datagram ends, 7d expected", DatagramBytePattern.Parse("60457d").Match(Wire.Hex("6045")).Reason);
        Assert.Equal("1 bytes left, 2 for <mid> expected", DatagramBytePattern.Parse("6045<mid:2>").Match(Wire.Hex("60457d")).Reason);
    }

    [Theory]
    [InlineData("6")]
    [InlineData("6g")]
    [InlineData("6 0")]
    [InlineData("<mid")]
    [InlineData("<>")]
    [InlineData("<m d>")]
    [InlineData("<mid:two>")]
    [InlineData("<mid:-1>")]
    [InlineData("'open")]
    [InlineData(".")]
    [InlineData(".. 60")]
    [InlineData("<body:*> 60")]
    public void An_invalid_pattern_throws_FormatException(string text) =>
        Assert.Throws<FormatException>(() => DatagramBytePattern.Parse(text));

    [Theory]
    [InlineData("60 ??")]
    [InlineData("60 4?")]
    [InlineData("60 ..")]
    [InlineData("60 <mid:2>")]
    [InlineData("60 <nobody>")]
    public void A_pattern_with_undetermined_bytes_cannot_be_sent(string text) =>
        Assert.Throws<FormatException>(() => DatagramBytePattern.Parse(text).ToBytes());
}
