using CoAP.NET.Content;

namespace CoAP.NET.Tests.Content;

/// <summary>What the exception for an error response says of its payload.</summary>
public sealed class ResponseExceptionTests
{
    [Theory]
    [InlineData("a1206161", "a")]
    [InlineData("a220616121 6162", "a: b")]
    [InlineData("a2216162 206161", "a: b")]
    [InlineData("a12265 636f61703a", "coap:")]
    [InlineData("bf 207f61616162ff ff", "ab")]
    [InlineData("a2 191267a100f5 20d8268262656e6161", "a")]
    [InlineData("a1 20d8269f62656e6161f5ff", "a")]
    [InlineData("a2 7461 a0 206161", null)] // the key is longer than what is there
    [InlineData("a120", null)]
    [InlineData("a1206161 00", null)]
    [InlineData("a12001", null)]
    [InlineData("01", null)]
    [InlineData("", null)]
    [InlineData("a1235084", null)]
    [InlineData("bb7fffffffffffffff206161", null)]
    public void Problem_details_are_shown_by_title_and_detail(string hex, string? text)
    {
        CoapResponse response = Response(CoapContentFormat.ConciseProblemDetails, Wire.Hex(hex));

        string message = Assert.Throws<CoapResponseException>(response.EnsureSuccess).Message;

        Assert.Equal(text is null ? "The peer answered 4.04 Not Found." : $"The peer answered 4.04 Not Found: {text}", message);
    }

    [Fact]
    public void Every_payload_that_CoapProblem_reads_as_problem_details_gets_the_same_text_in_the_exception()
    {
        Random random = new(9290);
        byte[][] seeds =
        [
            Wire.Hex("a4206178386282010219 1267a100f5 767461673a6578616d706c652e6f72672c323032363a61a16162f6"),
            Wire.Hex("a2 20d8268362656e6161f5 217f61616162ff"),
            Wire.Hex("bf 2061a1 19ffff9f01ff 22616 1 24 6163 ff"),
        ];
        int read = 0;
        for (int i = 0; i < 20_000; i++)
        {
            byte[] bytes = [.. seeds[random.Next(seeds.Length)]];
            for (int j = random.Next(3); j > 0; j--)
            {
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            }

            if (CoapProblem.TryParse(bytes, out CoapProblem? problem, out _))
            {
                read++;
                Assert.Equal(problem.ToString(), ProblemDetailsText.Of(bytes) ?? string.Empty);
            }
            else
            {
                _ = ProblemDetailsText.Of(bytes);
            }
        }

        Assert.InRange(read, 100, 19_900);
    }

    [Fact]
    public void Nested_CBOR_items_are_followed_to_a_bounded_depth()
    {
        byte[] deep = [0xa2, 0x00, .. Enumerable.Repeat((byte)0x81, 1_000_000), 0x00, 0x20, 0x61, 0x61];

        Assert.Null(ProblemDetailsText.Of(deep));
    }

    [Fact]
    public void The_diagnostic_payload_of_a_peer_is_a_single_line_in_the_exception()
    {
        CoapResponse hostile = Response(null, "a\u001b[2J\u0007\r\nb"u8.ToArray());

        Assert.Equal("The peer answered 4.04 Not Found: a [2J   b", Assert.Throws<CoapResponseException>(hostile.EnsureSuccess).Message);
    }

    [Fact]
    public void The_exception_for_a_4_13_response_names_the_Size1_of_the_peer()
    {
        CoapMessage message = new(CoapCode.RequestEntityTooLarge);
        message.Options.Size1 = 16_777_216;
        CoapResponse response = new(message, CoapAddress());

        Assert.Equal(
            "The peer answered 4.13 Request Entity Too Large. It accepts bodies of at most 16777216 bytes (Size1).",
            Assert.Throws<CoapResponseException>(response.EnsureSuccess).Message);
    }

    private static CoapResponse Response(CoapContentFormat? format, byte[] payload)
    {
        CoapMessage message = new(CoapCode.NotFound) { Payload = payload };
        message.Options.ContentFormat = format;
        return new CoapResponse(message, CoapAddress());
    }

    private static CoAP.NET.CoapAddress CoapAddress() => CoAP.NET.CoapAddress.FromIPv4(0x7f000001, 5683);
}
