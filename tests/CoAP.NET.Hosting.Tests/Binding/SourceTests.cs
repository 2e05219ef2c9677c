namespace CoAP.NET.Hosting.Tests.Binding;

/// <summary>Where parameters come from; each handler answers with what it was given.</summary>
public sealed class SourceTests(BoundServer server) : IClassFixture<BoundServer>
{
    [Theory]
    [InlineData("/basics/a", "Get a coap True")]
    [InlineData("/route/17", "17")]
    [InlineData("/renamed/d3c4d1e0-0000-0000-0000-000000000001", "d3c4d1e0000000000000000000000001")]
    [InlineData("/rest/a/b/c", "a/b/c")]
    [InlineData("/same/route?name=query", "query")]
    [InlineData("/same/route", "none")]
    [InlineData("/tenants/acme/users/bob", "bob at acme")]
    [InlineData("/tenants/acme/wrong?page=3", "acme 3")]
    [InlineData("/tenants/acme/wrong", "acme ")]
    public async Task Parameters_are_bound_from_the_request_and_the_route(string path, string text) => await Answers(path, text);

    [Theory]
    [InlineData("/query/required?limit=5", "5")]
    [InlineData("/query/required?limitless=1&limit=-5&limit=7", "-5")]
    [InlineData("/query/optional?limit=5", "5")]
    [InlineData("/query/optional", "-1")]
    [InlineData("/query/text", "none")]
    [InlineData("/query/text?q=%C3%A9%26=", "é&=")]
    [InlineData("/query/text?q", "")]
    [InlineData("/query/default", "10 asc Friday 1.5 True '")]
    [InlineData("/query/default?limit=1&order=desc&day=monday&factor=2.5e3&all=0&mark=x", "1 desc Monday 2500 False x")]
    [InlineData("/query/types?flag&day=2&access=read,WRITE&id=d3c4d1e0000000000000000000000001&price=1.10&age=01:02:03",
        "True Tuesday Read, Write d3c4d1e0000000000000000000000001 1.10 01:02:03")]
    [InlineData("/query/times?at=2026-11-20T10:00:00&local=2026-11-20T10:00:00%2B02:00&date=2026-11-20",
        "2026-11-20T10:00:00.0000000+00:00 2026-11-20T08:00:00.0000000Z 2026-11-20")]
    [InlineData("/query/own?t=72F", "72")]
    [InlineData("/query/array?id=1&x=9&id=2&tag=a&tag=b", "1+2 a+b")]
    [InlineData("/query/array", " null")]
    [InlineData("/query/named?if=core.s&link=/a/b", "core.s /a/b")]
    public async Task Parameters_are_bound_from_query_arguments(string path, string text) => await Answers(path, text);

    [Fact]
    public async Task Parameters_are_bound_from_options()
    {
        await Answers("/option/etag", "none");
        await Answers("/option/etag", "0102", request => request.Options.Add(new ETagOption([1, 2])));
        await Answers("/option/typed", "16 none", request => request.Options.Add(new HopLimitOption(16)));
        await Answers("/option/number", "null 0 False ", request => request.Options.Add(65002, []));
        await Answers("/option/number", "text 258 True 01+0203", request => request.Options
            .Add(65000, "text"u8).Add(65002, [0, 1, 2]).Add(65004, []).Add(65006, [1]).Add(65006, [2, 3]));
        await Answers(CoapMethod.Post, "/option/format", new CoapContent("12345"u8.ToArray(), CoapContentFormat.Exi), "47 5");
    }

    [Fact]
    public async Task A_body_in_JSON_or_CBOR_is_bound()
    {
        Device device = new("lamp", 21.5);
        CoapContent json = CoapContent.Json(device, DeviceContext.Default.Device);
        await Answers(CoapMethod.Post, "/body/json", json, "lamp 21.5");
        await Answers(CoapMethod.Post, "/body/json", new CoapContent("""{"id":"camel","setpoint":1}"""u8.ToArray()), "camel 1");
        await Answers(CoapMethod.Post, "/body/json", CoapContent.Cbor(device, DeviceContext.Default.Device), "lamp 21.5");
        await Answers(CoapMethod.Post, "/body/optional", json, "lamp");
        await Answers(CoapMethod.Post, "/body/optional", null, "none");
        await Answers(CoapMethod.Post, "/body/list", new CoapContent("""[{"id":"a"},{"id":"b"}]"""u8.ToArray(), CoapContentFormat.Json),
            "2");
        await Answers(CoapMethod.Put, "/body/both", json, "Put lamp");
        await Answers(CoapMethod.Post, "/body/both", json, "Post lamp");
        await Answers(CoapMethod.Fetch, "/body/marked", json, "lamp");
        await Answers("/body/marked", "none");
    }

    [Fact]
    public async Task A_body_is_bound_as_text_or_bytes()
    {
        await Answers(CoapMethod.Post, "/body/text", CoapContent.Text("grüß"), "grüß");
        await Answers(CoapMethod.Post, "/body/text", new CoapContent("plain"u8.ToArray()), "plain");
        await Answers(CoapMethod.Post, "/body/text/optional", null, "silence");
        await Answers(CoapMethod.Put, "/body/number", CoapContent.Text("-2.5"), "-2.5");
        await Answers(CoapMethod.Put, "/body/number", new CoapContent("3.5"u8.ToArray(), CoapContentFormat.Json), "3.5");
        await Answers(CoapMethod.Put, "/body/number", CoapContent.Cbor(4.25, DeviceContext.Default.Double), "4.25");
        await Answers(CoapMethod.Put, "/body/number/optional", null, "-1");
        await Answers(CoapMethod.Put, "/body/number/optional", CoapContent.Text("8"), "8");
        await Answers(CoapMethod.Post, "/body/bytes", CoapContent.Binary(new byte[] { 1, 2, 3 }), "010203");
        await Answers(CoapMethod.Post, "/body/bytes", null, "");
        await Answers(CoapMethod.Post, "/body/bytes/optional", null, "none");
        await Answers(CoapMethod.Post, "/body/memory", CoapContent.Binary(new byte[] { 4 }), "04");
        await Answers(CoapMethod.Post, "/body/stream", CoapContent.Text("streamed"), "streamed");
        await Answers(CoapMethod.Post, "/body/pipe", CoapContent.Text("four"), "4");
    }

    [Fact]
    public async Task A_blockwise_body_is_bound_as_a_whole()
    {
        string text = new('x', 5000);
        CoapResponse response = await server.SendAsync(CoapMethod.Post, "/body/text", CoapContent.Text(text));
        response.Says(text);
    }

    [Theory]
    [InlineData("/service", "main")]
    [InlineData("/service/class", "none")]
    [InlineData("/service/keyed", "spare")]
    [InlineData("/service/keyed/optional", "none")]
    [InlineData("/service/provider", "main")]
    public async Task Parameters_are_bound_from_services(string path, string text) => await Answers(path, text);

    [Fact]
    public async Task A_class_may_be_a_service_when_there_is_another_body_parameter() =>
        await Answers(CoapMethod.Post, "/service/marked", null, "none");

    private Task Answers(string path, string text, Action<CoapRequest>? change = null) => Answers(CoapMethod.Get, path, null, text, change);

    private async Task Answers(CoapMethod method, string path, CoapContent? content, string text, Action<CoapRequest>? change = null)
    {
        CoapResponse response = await server.SendAsync(method, path, content, change);
        Assert.Equal((method is CoapMethod.Get or CoapMethod.Fetch ? CoapCode.Content : CoapCode.Changed, text),
            (response.Code, Encoding.UTF8.GetString(response.Payload.Span)));
    }
}
