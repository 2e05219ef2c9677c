namespace CoAP.NET.Hosting.Tests.Binding;

/// <summary>Requests that a handler cannot be called for: their answers name the parameter, and each is counted.</summary>
public sealed class CommandLineErrorsTests(BoundServer server) : IClassFixture<BoundServer>
{
    [Theory]
    [InlineData("/query/required", "The request lacks the query argument 'limit'.")]
    [InlineData("/query/required?limit=secret", "The query argument 'limit' cannot be read as int.")]
    [InlineData("/query/required?limit", "The query argument 'limit' cannot be read as int.")]
    [InlineData("/query/required?limit=99999999999", "The query argument 'limit' cannot be read as int.")]
    [InlineData("/query/optional?limit=x", "The query argument 'limit' cannot be read as int.")]
    [InlineData("/query/default?day=32", "The query argument 'day' cannot be read as DayOfWeek.")]
    [InlineData("/query/own?t=72C", "The query argument 't' cannot be read as Fahrenheit.")]
    [InlineData("/query/array?id=1&id=x", "The query argument 'id' cannot be read as int.")]
    [InlineData("/query/price?price=1,000",
        "The query argument 'price' cannot be read as decimal. Write it with a decimal point and without separators of thousands, such as "
            + "1234.5.")]
    [InlineData("/query/default?factor=1,5", "The query argument 'factor' cannot be read as double. Write it with a decimal point")]
    [InlineData("/query/default?factor=NaN", "The query argument 'factor' cannot be read as double.")]
    [InlineData("/query/default?factor=-Infinity", "The query argument 'factor' cannot be read as double.")]
    [InlineData("/query/default?factor=1e400", "The query argument 'factor' cannot be read as double.")]
    [InlineData("/query/floats?f=1&f=2,5", "The query argument 'f' cannot be read as float.")]
    [InlineData("/query/floats?h=70000", "The query argument 'h' cannot be read as Half.")]
    [InlineData("/route/number/1,5", "The route value 'n' cannot be read as double.")]
    [InlineData("/route/x", "The route value 'id' cannot be read as int.")]
    [InlineData("/option/typed", "The request lacks the option for 'hops'.")]
    [InlineData("/option/number", "The request lacks the option 65002.")]
    public async Task Arguments(string path, string diagnostic) =>
        await Refuses(CoapMethod.Get, path, null, CoapCode.BadRequest, diagnostic);

    [Fact]
    public async Task Unreadable_options_are_refused()
    {
        long before = server.Refused;
        CoapResponse response = await server.GetAsync("/option/number", request => request.Options.Add(65002, [1, 2, 3, 4, 5]));
        Assert.Equal((CoapCode.BadRequest, "The option 65002 cannot be read as uint."), (response.Code, response.GetText()));
        response = await server.GetAsync("/option/number", request => request.Options.Add(65000, [0xff]).Add(65002, []));
        Assert.Equal((CoapCode.BadRequest, "The option 65000 cannot be read as string."), (response.Code, response.GetText()));
        Assert.Equal(before + 2, server.Refused);
    }

    [Fact]
    public async Task Missing_and_malformed_bodies_are_refused()
    {
        await Refuses(CoapMethod.Post, "/body/json", null, CoapCode.BadRequest, "The request lacks the body 'device'.");
        await Refuses(CoapMethod.Post, "/body/json", Json("null"), CoapCode.BadRequest, "The request lacks the body 'device'.");
        await Refuses(CoapMethod.Post, "/body/json", Json("""{"id":"a","""), CoapCode.BadRequest,
            "The body 'device' is not JSON of the expected form (line 1, byte ");
        await Refuses(CoapMethod.Post, "/body/json", Json("""{"id":"a","setpoint":"secret"}"""), CoapCode.BadRequest,
            "The body 'device' is not JSON of the expected form");
        await Refuses(CoapMethod.Post, "/body/json", Json("""{"id":"a","id":"b"}"""), CoapCode.BadRequest,
            "The body 'device' is not JSON of the expected form");
        await Refuses(CoapMethod.Post, "/body/json", new CoapContent(new byte[] { 0xa1, 0x62 }, CoapContentFormat.Cbor),
            CoapCode.BadRequest, "The body 'device' cannot be read. The payload is not readable CBOR: ");
        await Refuses(CoapMethod.Post, "/body/json", new CoapContent(new byte[] { 0x01 }, CoapContentFormat.Cbor), CoapCode.BadRequest,
            "The body 'device' is not CBOR of the expected form.");
        byte[] twice = [0xa2, 0x62, 0x69, 0x64, 0x61, 0x61, 0x62, 0x69, 0x64, 0x61, 0x62]; // {"id": "a", "id": "b"}
        await Refuses(CoapMethod.Post, "/body/json", new CoapContent(twice, CoapContentFormat.Cbor), CoapCode.BadRequest,
            "The body 'device' is not CBOR of the expected form.");
        await Refuses(CoapMethod.Put, "/body/number", CoapContent.Text("secret"), CoapCode.BadRequest,
            "The body 'value' cannot be read as Double. Write it with a decimal point");
        foreach (string wrong in new[] { "31,5", "1,000", "NaN", "Infinity", "\u221e", "1e400", "0x10", "(1)" })
        {
            await Refuses(CoapMethod.Put, "/body/number", CoapContent.Text(wrong), CoapCode.BadRequest,
                "The body 'value' cannot be read as Double. Write it with a decimal point");
        }

        await Refuses(CoapMethod.Post, "/body/text", new CoapContent(new byte[] { 0xff }, CoapContentFormat.TextPlain), CoapCode.BadRequest,
            "The body 'text' cannot be read as text in UTF-8.");
    }

    [Fact]
    public async Task Bodies_of_another_format_are_refused()
    {
        CoapContent link = new("</a>"u8.ToArray(), CoapContentFormat.LinkFormat);
        await Refuses(CoapMethod.Post, "/body/json", link, CoapCode.UnsupportedContentFormat,
            "The body 'device' is read as JSON or CBOR; this is ");
        await Refuses(CoapMethod.Put, "/body/number", link, CoapCode.UnsupportedContentFormat,
            "The body 'value' is read as JSON or CBOR or text; this is ");
        await Refuses(CoapMethod.Post, "/body/text", link, CoapCode.UnsupportedContentFormat, "The body 'text' is read as text; this is ");
        await Refuses(CoapMethod.Post, "/body/json", CoapContent.Text("{}"), CoapCode.UnsupportedContentFormat,
            "The body 'device' is read as JSON or CBOR; this is ");
    }

    private static CoapContent Json(string text) => new(Encoding.UTF8.GetBytes(text), CoapContentFormat.Json);

    private async Task Refuses(CoapMethod method, string path, CoapContent? content, CoapCode code, string diagnostic)
    {
        long before = server.Refused;
        CoapResponse response = await server.SendAsync(method, path, content);
        Assert.Equal(code, response.Code);
        response.GetText().Begins(diagnostic);
        response.GetText().Omits("secret");
        Assert.False(response.Options.Contains(OptionNumber.ContentFormat));
        Assert.Equal(before + 1, server.Refused);
    }
}
