using CoAP.NET.Messages;

namespace CoAP.NET.Tests.Messages;

/// <summary>Content-Formats by number and by media type (RFC 7252 section 12.3).</summary>
public sealed class ContentFormatTests
{
    [Fact]
    public void Every_registered_format_is_found_by_its_media_type_and_coding()
    {
        ushort[] numbers = [.. ContentFormatRegistry.Numbers];
        Assert.Equal(numbers.Order(), numbers);
        Assert.True(numbers.Length >= 61);
        foreach (ushort number in numbers)
        {
            CoapContentFormat format = new(number);
            Assert.True(CoapContentFormat.TryFromMediaType(format.MediaType, out CoapContentFormat found, format.ContentCoding),
                format.MediaType);
            Assert.Equal(format, found);
        }
    }

    [Fact]
    public void Each_named_member_is_registered_and_each_registered_number_has_a_name()
    {
        ushort[] named = [
            .. typeof(CoapContentFormat).GetProperties(System.Reflection.BindingFlags.Static | System.Reflection.BindingFlags.Public)
                .Where(property => property.PropertyType == typeof(CoapContentFormat))
                .Select(property => ((CoapContentFormat)property.GetValue(null)!).Value)];
        Assert.Equal(ContentFormatRegistry.Numbers, named.Order());
    }

    [Theory]
    [Rfc("8132-5-1")]
    [InlineData("text/plain; charset=UTF-8", null, 0)]
    [InlineData("TEXT/Plain;Charset=\"utf-8\"", null, 0)]
    [InlineData("application/json", null, 50)]
    [InlineData("application/json", "identity", 50)]
    [InlineData("application/json", "Deflate", 11050)]
    [InlineData("application/json-patch+json", null, 51)]
    [InlineData("application/merge-patch+json", null, 52)]
    [InlineData("application/cbor", "deflate", 11060)]
    [InlineData("application/cose; cose-type=cose-sign1", null, 18)]
    [InlineData("application/cose; cose-type=\"cose\\-sign1\"", null, 18)]
    [InlineData("application/yang-data+cbor ; id=name", null, 341)]
    [InlineData("application/yang-data+cbor", null, 340)]
    [InlineData("application/senml+cbor", null, 112)]
    [InlineData("application/pkcs7-mime; smime-type=certs-only", null, 281)]
    public void A_media_type_is_found_however_it_is_written(string mediaType, string? coding, int number)
    {
        Assert.True(CoapContentFormat.TryFromMediaType(mediaType, out CoapContentFormat format, coding));
        Assert.Equal(number, format.Value);
    }

    [Theory]
    [InlineData("text/plain")]
    [InlineData("text/plain;charset=latin1")]
    [InlineData("text/plain;charset=utf-8;charset=utf-8")]
    [InlineData("text/plain;charset=\"utf-8")]
    [InlineData("text/plain;charset=\"utf-8\"x")]
    [InlineData("text/plain;charset=utf 8")]
    [InlineData("text/plain;charset")]
    [InlineData("text/plain;charset=utf-8;")]
    [InlineData("text/plain;=utf-8")]
    [InlineData("text/plain;charset=")]
    [InlineData("application/json;v=1")]
    [InlineData("application/unknown")]
    [InlineData("application")]
    [InlineData("/json")]
    [InlineData("application/")]
    [InlineData("application/js on")]
    [InlineData("")]
    [InlineData(";")]
    [InlineData(null)]
    public void A_media_type_that_is_not_registered_is_not_found(string? mediaType)
    {
        Assert.False(CoapContentFormat.TryFromMediaType(mediaType, out CoapContentFormat format));
        Assert.Equal(default, format);
    }

    [Fact]
    public void A_coding_that_is_not_registered_with_the_media_type_is_not_found() =>
        Assert.False(CoapContentFormat.TryFromMediaType("application/json", out _, "gzip"));

    [Theory]
    [InlineData(50, true)]
    [InlineData(110, true)]
    [InlineData(432, true)]
    [InlineData(11050, false)]
    [InlineData(60, false)]
    [InlineData(0, false)]
    [InlineData(64999, false)]
    public void A_JSON_format_is_recognized_by_its_media_type(int number, bool isJson) =>
        Assert.Equal(isJson, CoapContentFormat.FromInt32(number).IsJson);

    [Fact]
    public void The_text_of_a_Content_Format_includes_the_content_coding()
    {
        Assert.Equal("application/json (deflate)", CoapContentFormat.JsonDeflate.ToString());
        Assert.Equal("application/json", CoapContentFormat.Json.ToString());
        Assert.Equal("64999", new CoapContentFormat(64999).ToString());
    }
}
