using CoAP.NET.Testing.Network;

namespace CoAP.NET.Tests.Testing;

public class MessageHeadTests
{
    [Theory]
    [InlineData("41017d3520bb74656d7065726174757265", "CON GET mid 7d35 token 20")]
    [InlineData("60457d34ff32322e332043", "ACK 2.05 Content mid 7d34")]
    [InlineData("7000ad7c", "RST 0.00 Empty mid ad7c")]
    [InlineData("5184952a86", "NON 4.04 Not Found mid 952a token 86")]
    [InlineData("c001ffff", "(version 3) CON GET mid ffff")]
    [InlineData("48010001aabb", "CON GET mid 0001 token aabb")]
    [InlineData("4d01000100000102030405060708090a0b0c", "CON GET mid 0001 token 000102030405060708090a0b0c")]
    [InlineData("4f010001aa", "CON GET mid 0001")]
    [InlineData("400100", "(no header)")]
    [InlineData("", "(no header)")]
    public void A_head_is_read_from_any_bytes(string hex, string text) => Assert.Equal(text, MessageHead.Read(Wire.Hex(hex)).ToString());

    [Fact]
    public void A_token_with_two_length_bytes_is_read()
    {
        byte[] data = [0x4e, 1, 0, 1, 0, 1, .. new byte[270], 0xff, 1];
        Assert.Equal(270, MessageHead.Read(data).Token.Length);
    }
}
