using System.Text.Json.Serialization;

namespace CoAP.NET.Tests.Resources;

public partial class CoapResultsTests
{
    [Fact]
    [Rfc("7252-5.8.1-1")]
    public void Results_with_content_have_their_Content_Format()
    {
        Check(CoapResults.Text("\u00f6"), "2.05", 0, "c3 b6");
        Check(CoapResults.Text("<a/>", CoapContentFormat.Xml), "2.05", 41, "3c 61 2f 3e");
        Check(CoapResults.Bytes(Wire.Hex("01 02")), "2.05", 42, "01 02");
        Check(CoapResults.Json(new Point(1), JsonContext.Default.Point), "2.05", 50, "7b 22 58 22 3a 31 7d");
        Check(CoapResults.Json(new Point(1)), "2.05", 50, "7b 22 78 22 3a 31 7d");
        Check(CoapResults.Content(new CoapContent(Wire.Hex("f6"), CoapContentFormat.Cbor)), "2.05", 60, "f6");
        Check(CoapResults.Content(new CoapContent(Wire.Hex("f6"))), "2.05", null, "f6");
        Check(CoapResults.Changed(CoapContent.Text("x")), "2.04", 0, "78");
        Check("x", "2.05", 0, "78");
        Check(Wire.Hex("01"), "2.05", 42, "01");
    }

    [Fact]
    [Rfc("7252-5.5.2-1")]
    public void Error_results_have_a_diagnostic_text_without_a_format_or_no_payload()
    {
        (CoapResult Result, string Code)[] errors =
        [
            (CoapResults.BadRequest("x"), "4.00"), (CoapResults.Unauthorized("x"), "4.01"), (CoapResults.Forbidden("x"), "4.03"),
            (CoapResults.NotFound("x"), "4.04"),
            (CoapResults.MethodNotAllowed("x"), "4.05"), (CoapResults.NotAcceptable("x"), "4.06"), (CoapResults.Conflict("x"), "4.09"),
            (CoapResults.PreconditionFailed("x"), "4.12"),
            (CoapResults.UnsupportedContentFormat("x"), "4.15"), (CoapResults.UnprocessableEntity("x"), "4.22"),
            (CoapResults.Status(CoapCode.BadGateway, "x"), "5.02"),
        ];
        Assert.All(errors, error => Check(error.Result, error.Code, null, "78"));
        Check(CoapResults.NotFound(), "4.04", null, "");
        Check(CoapResults.InternalServerError(), "5.00", null, "");
        Check(CoapResults.Deleted(), "2.02", null, "");
        Assert.Throws<ArgumentException>(() => CoapResults.Status(CoapCode.Get));
        Assert.Throws<ArgumentException>(() => CoapResults.Status(CoapCode.Changed, "x"));
    }

    [Fact]
    [Rfc("7252-5.9.3.4-1", "7252-5.9.2.9-1", "7252-5.4.4-1")]
    public void Max_Age_and_Size1_of_results_are_sent_as_options()
    {
        Assert.Equal(7u, UInt(CoapResults.ServiceUnavailable(FromSeconds(7)), OptionNumber.MaxAge));
        Assert.Equal(8u, UInt(CoapResults.TooManyRequests(FromSeconds(8.9)), OptionNumber.MaxAge));
        Assert.Equal(1024u, UInt(CoapResults.RequestEntityTooLarge(1024), OptionNumber.Size1));
        Assert.Equal(uint.MaxValue, UInt(CoapResults.RequestEntityTooLarge(long.MaxValue), OptionNumber.Size1));
        Assert.Null(UInt(CoapResults.RequestEntityTooLarge(), OptionNumber.Size1));
        Assert.Equal(0u, UInt(CoapResults.Text("x").WithMaxAge(TimeSpan.Zero), OptionNumber.MaxAge));
        Assert.Null(UInt(CoapResults.Text("x").WithMaxAge(FromSeconds(5)).WithMaxAge(FromMinutes(1)),
            OptionNumber.MaxAge));
        Assert.Throws<ArgumentOutOfRangeException>(() => CoapResults.Text("x").WithMaxAge(FromSeconds(-1)));
        Assert.Throws<ArgumentOutOfRangeException>(() => CoapResults.Text("x").WithMaxAge(FromSeconds(4_294_967_296)));
    }

    [Fact]
    [Rfc("7252-5.10.7-1", "7252-5.8.2-1")]
    public void The_Location_of_a_result_is_split_into_decoded_options()
    {
        CoapResult created = CoapResults.Created("/location1/a%20b/c%2Fd/?first=1&second=2%26");
        Assert.Equal(["location1", "a b", "c/d", ""], Strings(created, OptionNumber.LocationPath));
        Assert.Equal(["first=1", "second=2&"], Strings(created, OptionNumber.LocationQuery));
        created = created.WithLocationPath("x%20y").WithLocationQuery("q");
        Assert.Equal(["x%20y"], Strings(created, OptionNumber.LocationPath));
        Assert.Equal(["q"], Strings(created, OptionNumber.LocationQuery));
        Assert.Empty(Strings(CoapResults.Created("/"), OptionNumber.LocationPath));
        Assert.Throws<ArgumentException>(() => CoapResults.Created("/a/%2e%2e/b"));
        Assert.Throws<ArgumentException>(() => CoapResults.Created("/a#b"));
        ArgumentException bad = Assert.Throws<ArgumentException>("reference", () => CoapResults.Created("/%zz"));
        bad.Mentions("Write %25 for a percent sign.");
        Assert.Throws<ArgumentException>("reference", () => CoapResults.Created("/a?%ff"));
        Assert.Throws<ArgumentException>(() => CoapResults.Created("/" + new string('a', 256)));
    }

    [Fact]
    [Rfc("7252-5.10.6-1")]
    public void A_result_has_only_the_last_ETag()
    {
        CoapResult result = CoapResults.Text("x").WithETag(CoapETag.FromVersion(1)).WithETag(CoapETag.FromVersion(0x0203));
        Assert.Equal(1, result.Options.Count(option => option.Number == OptionNumber.ETag));
        Assert.True(result.Options.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> value));
        Assert.Equal("0203", Wire.Hex(value));
        Assert.Throws<ArgumentException>(() => CoapResults.Valid(default));
    }

    private static void Check(CoapResult result, string code, uint? format, string payload)
    {
        Assert.Equal(CoapCode.Parse(code), result.Code);
        Assert.Equal(format, UInt(result, OptionNumber.ContentFormat));
        Assert.Equal(Wire.Hex(payload), result.Payload.ToArray());
    }

    private static uint? UInt(CoapResult result, int number) => result.Options.TryGetUInt(number, out uint value) ? value : null;

    private static string[] Strings(CoapResult result, int number)
    {
        List<string> strings = [];
        for (int i = 0; i < result.Options.Count; i++)
        {
            if (result.Options.NumberAt(i) == number)
            {
                strings.Add(Encoding.UTF8.GetString(result.Options.ValueAt(i)));
            }
        }

        return [.. strings];
    }

    internal sealed record Point(int X);

    [JsonSerializable(typeof(Point))]
    internal sealed partial class JsonContext : JsonSerializerContext;
}
