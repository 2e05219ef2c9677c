namespace CoAP.NET.Tests.Transports.Streams;

// RFC 8974 section 2.2.1, in the role of a server.
public class TokensOnStreamsTests : BodiesOnStreamsTest
{
    [Theory]
    [Rfc("8974-2.2.1-1", "8974-2.1-1")]
    [InlineData(0, "0", "")]
    [InlineData(8, "8", "")]
    [InlineData(9, "9", "")]
    [InlineData(12, "c", "")]
    [InlineData(13, "d", "00")]
    [InlineData(64, "d", "33")]
    public async Task A_token_up_to_MaxTokenLength_is_echoed_in_the_response(int length, string field, string extension)
    {
        Server.MapGet("/x", () => CoapResults.Text("hi"));
        await StartStreamsAsync();
        string token = Wire.Hex(Frames.Bytes(length));

        Assert.Equal($"4{field}45{extension}{token}c0ff6869", AskHex(Connect(), $"2{field}01{extension}{token}b178"));
    }

    [Theory]
    [Rfc("8974-2.2.1-1", "8974-2.2.1-2")]
    [InlineData(65, "34")]
    [InlineData(268, "ff")]
    public async Task A_token_longer_than_MaxTokenLength_aborts_the_connection(int length, string extension)
    {
        bool ran = false;
        Server.MapGet("/x", () =>
        {
            ran = true;
            return CoapResults.Text("hi");
        });
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        string token = Wire.Hex(Frames.Bytes(length));

        CoapMessage answer = Frames.Read(AskHex(connection, $"2d01{extension}{token}b178"));

        Assert.Equal(CoapCode.Abort, answer.Code);
        Assert.Equal("A token has at most 64 bytes here, as the CSM said (RFC 8974 section 2.2.1).",
            Encoding.UTF8.GetString(answer.Payload.Span));
        Assert.False(ran);
        Assert.True(connection.HasSentLast);
    }

    [Theory]
    [Rfc("8974-2.2.1-1")]
    [InlineData("00e1", 8)]
    [InlineData("20e16104", 8)]
    [InlineData("20e16120", 32)]
    [InlineData("40e16301010c", 65_804)]
    [InlineData("40e1630fffff", 65_804)]
    public async Task The_token_length_that_a_peer_announces_is_clamped_to_8_through_65804(string csm, int length)
    {
        await StartStreamsAsync();

        Assert.Equal(length, Connect(csm).Capabilities.MaxTokenLength);
    }
}
