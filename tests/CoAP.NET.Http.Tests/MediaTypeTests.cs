namespace CoAP.NET.Http.Tests;

/// <summary>Each rule of media types (RFC 8075 section 6).</summary>
public sealed class MediaTypeTests
{
    private readonly CoapHttpMediaTypes _types = new();

    [Theory]
    [Rfc("7252-10.2.2-1", "8075-6.2-1")]
    [InlineData(0, "text/plain;charset=utf-8", null)]
    [InlineData(50, "application/json", null)]
    [InlineData(11050, "application/json", "deflate")]
    [InlineData(65000, "application/coap-payload;cf=65000", null)]
    public void A_Content_Format_is_mapped_to_a_media_type_with_a_content_coding(int format, string mediaType, string? coding)
    {
        Assert.Equal(mediaType, _types.MediaTypeOf(CoapContentFormat.FromInt32(format), out string? found));
        Assert.Equal(coding, found);
    }

    [Theory]
    [Rfc("8075-6.1-1", "8075-6.3-1")]
    [InlineData("application/json", null, 50)]
    [InlineData("application/json", "identity", 50)]
    [InlineData("application/json", "deflate", 11050)]
    [InlineData("application/json", "gzip", -1)]
    [InlineData("application/json; charset=utf-8", null, 50)]
    [InlineData("application/json; charset=iso-8859-1", null, -1)]
    [InlineData("text/plain", null, 0)]
    [InlineData("text/plain; charset=\"UTF-8\"", null, 0)]
    [InlineData("text/plain; charset=iso-8859-1", null, -1)]
    [InlineData("application/cose; cose-type=\"cose-sign1\"", null, 18)]
    [InlineData("application/cose", null, -1)]
    [InlineData("application/problem+json", null, -1)]
    [InlineData("text/html", null, -1)]
    [InlineData("x/y", null, -1)]
    [InlineData("nonsense", null, -1)]
    [InlineData("application/coap-payload;cf=65000", null, -1)]
    public void A_media_type_is_mapped_to_a_Content_Format_or_none(string mediaType, string? coding, int format) =>
        Assert.Equal(format, Find(mediaType, coding));

    [Theory]
    [Rfc("8075-6.3-1")]
    [InlineData("application/problem+json", 50)]
    [InlineData("application/atom+xml", 41)]
    [InlineData("application/x-some+cbor", 60)]
    [InlineData("text/xml", 41)]
    [InlineData("text/html", 0)]
    [InlineData("text/html; charset=iso-8859-1", -1)]
    [InlineData("application/senml+json", 110)]
    [InlineData("x/y", 42)]
    public void Loose_mapping_generalizes_a_media_type_once_in_the_order_of_its_table(string mediaType, int format)
    {
        _types.Loose = true;
        Assert.Equal(format, Find(mediaType));
    }

    [Fact]
    [Rfc("8075-6.2-2")]
    public void Content_Format_numbers_are_accepted_as_media_types_when_they_are_enabled()
    {
        _types.PassCoapPayload = true;

        Assert.Equal(65000, Find("application/coap-payload; cf=65000"));
        Assert.Equal(-1, Find("application/coap-payload; cf=65536"));
        Assert.Equal(-1, Find("application/coap-payload"));
        Assert.Equal(-1, Find("application/coap-payload; cf=65000", "gzip"));
    }

    [Fact]
    public void A_Content_Format_can_be_added()
    {
        _types.Add((CoapContentFormat)65001, "application/vnd.example; v=2", "gzip");

        Assert.Equal(65001, Find("Application/Vnd.Example;v=2", "GZIP"));
        Assert.Equal("application/vnd.example; v=2", _types.MediaTypeOf((CoapContentFormat)65001, out string? coding));
        Assert.Equal("gzip", coding);
    }

    [Theory]
    [Rfc("8075-6.1-2", "7252-10.2.2-2")]
    [InlineData("", "-")]
    [InlineData("*/*", "-")]
    [InlineData("application/*", "-")]
    [InlineData("x/y", "-")]
    [InlineData("application/json", "50")]
    [InlineData("application/json;q=0.5, application/cbor", "60 50")]
    [InlineData("application/json, */*;q=0.1", "50 -")]
    [InlineData("*/*, application/json;q=0.1", "-")]
    [InlineData("application/json;q=0, text/plain;q=0.3", "0")]
    [InlineData("application/cose;cose-type=\"cose-sign1\";q=0.7", "18")]
    [InlineData("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "41 -")]
    public void Accepted_media_types_are_tried_in_the_order_of_preference(string accept, string candidates)
    {
        using HttpRequestMessage request = new();
        foreach (string range in accept.Split(',', StringSplitOptions.RemoveEmptyEntries))
        {
            request.Headers.Accept.Add(MediaTypeWithQualityHeaderValue.Parse(range));
        }

        Assert.Equal(candidates,
            string.Join(' ', new CoapHttpTranslator().AcceptedFormats(request).Select(format => format?.Value.ToString() ?? "-")));
    }

    private int Find(string mediaType, string? coding = null) =>
        _types.TryGetContentFormat(mediaType, coding, out CoapContentFormat format) ? format.Value : -1;
}
