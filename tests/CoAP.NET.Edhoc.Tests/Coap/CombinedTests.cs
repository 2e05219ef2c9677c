using CoAP.NET.Edhoc.Coap;

namespace CoAP.NET.Edhoc.Tests.Coap;

/// <summary>message_3 and what OSCORE protected in one request (RFC 9668): the payload.</summary>
public sealed class CombinedTests
{
    [Fact]
    [Rfc("9668-3.2-1")]
    public void The_combined_payload_of_the_RFC_example_is_split_into_message_3_and_ciphertext()
    {
        // RFC 9668, the example of section 3.4.
        byte[] payload = Convert.FromHexString("52d5535f3147e85f1cfacd9e78abf9e0a81bbf612f1092f1776f1c1668b3825e");

        ReadOnlyMemory<byte> message3 = CombinedRequestPayload.Read(payload, out ReadOnlyMemory<byte> ciphertext);

        Assert.Equal("52d5535f3147e85f1cfacd9e78abf9e0a81bbf", Convert.ToHexStringLower(message3.Span));
        Assert.Equal("612f1092f1776f1c1668b3825e", Convert.ToHexStringLower(ciphertext.Span));
        Assert.Equal(payload, CombinedRequestPayload.Write(message3.Span, ciphertext.Span));
    }

    [Theory]
    [InlineData("")]
    [InlineData("42abcd")]
    [InlineData("43abcd")]
    [InlineData("18ff")]
    [InlineData("5801ab00")]
    [InlineData("f542abcd00")]
    [Rfc("9668-3.3.1-1")]
    public void A_combined_payload_without_message_3_or_without_ciphertext_is_refused(string payload) =>
        Assert.Throws<EdhocException>(() => CombinedRequestPayload.Read(Convert.FromHexString(payload), out _));
}
