namespace CoAP.NET.Hosting.Tests.Binding;

/// <summary>What becomes of what handlers return.</summary>
public sealed class AnswerTests(BoundServer server) : IClassFixture<BoundServer>
{
    [Theory]
    [InlineData("/nothing/void")]
    [InlineData("/nothing/task")]
    [InlineData("/nothing/valuetask")]
    public async Task A_handler_without_a_result_is_answered_with_the_success_code_of_the_method(string path)
    {
        int before = AnswerRoutes.Calls;
        await server.GetAsync(path).Gives(CoapCode.Content);
        await server.SendAsync(CoapMethod.Delete, path).Gives(CoapCode.Deleted);
        await server.SendAsync(CoapMethod.Post, path).Gives(CoapCode.Changed);
        await server.SendAsync(CoapMethod.Put, path).Gives(CoapCode.Changed);
        await server.SendAsync(CoapMethod.Patch, path).Gives(CoapCode.Changed);
        await server.SendAsync(CoapMethod.IPatch, path + "?n=2").Gives(CoapCode.Changed);
        CoapResponse response = await server.SendAsync(CoapMethod.Fetch, path, CoapContent.Text("q"));
        Assert.Equal((CoapCode.Content, 0, null), (response.Code, response.Payload.Length, response.ContentFormat));
        Assert.Equal(before + 8, AnswerRoutes.Calls);
    }

    [Fact]
    public async Task Values_are_written_as_JSON_or_CBOR_depending_on_Accept()
    {
        server.Services.GetRequiredService<IDeviceStore>().Save(new Device("lamp", 20, ["hall"]));
        CoapResponse response = await server.GetAsync("/value/device/lamp");
        Assert.Equal((CoapCode.Content, CoapContentFormat.Json), (response.Code, response.ContentFormat));
        response.Says("""{"id":"lamp","setpoint":20,"tags":["hall"]}""");
        response = await server.GetAsync("/value/device/lamp", request => request.Accept = CoapContentFormat.Cbor);
        Assert.Equal(CoapContentFormat.Cbor, response.ContentFormat);
        Assert.Equal("a36269646" + "46c616d7068736574706f696e74146474616773816468616c6c", Convert.ToHexStringLower(response.Payload.Span));
        response = await server.GetAsync("/value/device/lamp", request => request.Accept = CoapContentFormat.Json);
        Assert.Equal(CoapContentFormat.Json, response.ContentFormat);
        response = await server.GetAsync("/value/device/lamp", request => request.Accept = CoapContentFormat.Xml);
        response.Gives(CoapCode.NotAcceptable);
        response = await server.GetAsync("/value/device/nobody");
        Assert.Equal((CoapCode.NotFound, 0), (response.Code, response.Payload.Length));
        await server.GetAsync("/value/text?q=x", request => request.Accept = CoapContentFormat.Json).Gives(CoapCode.NotAcceptable);
    }

    [Theory]
    [InlineData("/value/number", "21.5")]
    [InlineData("/value/null?n=4", "4")]
    [InlineData("/value/async?n=7", """{"id":"7","setpoint":7,"tags":null}""")]
    [InlineData("/value/object?n=3", """{"id":"object","setpoint":3,"tags":null}""")]
    public async Task Values_are_written_in_JSON(string path, string json)
    {
        CoapResponse response = await server.GetAsync(path);
        Assert.Equal((CoapCode.Content, CoapContentFormat.Json, json), (response.Code, response.ContentFormat, response.GetText()));
    }

    [Fact]
    public async Task Values_of_unsafe_methods_have_the_success_code_of_the_method()
    {
        CoapResponse response = await server.SendAsync(CoapMethod.Post, "/value/post",
            CoapContent.Json(new Device("a", 1), DeviceContext.Default.Device));
        Assert.Equal((CoapCode.Changed, CoapContentFormat.Json), (response.Code, response.ContentFormat));
        await server.SendAsync(CoapMethod.Delete, "/value/nobody").Gives(CoapCode.NotFound);
    }

    [Fact]
    public async Task Text_bytes_contents_and_results_are_written_unchanged()
    {
        await server.GetAsync("/value/text").Gives(CoapCode.NotFound);
        CoapResponse response = await server.GetAsync("/value/text?q=hi");
        Assert.Equal((CoapContentFormat.TextPlain, "hi"), (response.ContentFormat, response.GetText()));
        response = await server.GetAsync("/value/bytes?none=false");
        Assert.Equal((CoapContentFormat.OctetStream, 3), (response.ContentFormat, response.Payload.Length));
        await server.GetAsync("/value/bytes?none").Gives(CoapCode.NotFound);
        Assert.Equal(5, (await server.GetAsync("/value/memory?n=5")).Payload.Length);
        Assert.Equal(CoapContentFormat.LinkFormat, (await server.GetAsync("/value/content?n=5")).ContentFormat);
        await server.GetAsync("/value/result?n=0").Gives(CoapCode.Conflict);
        await server.GetAsync("/value/result?n=1").Gives(CoapCode.Created);
        await server.GetAsync("/value/object?n=0").Gives(CoapCode.Conflict);
        await server.GetAsync("/value/object?n=1").Says("text");
        Assert.Equal(CoapContentFormat.OctetStream, (await server.GetAsync("/value/object?n=2")).ContentFormat);
        await server.GetAsync("/value/null").Gives(CoapCode.NotFound);
    }

    [Theory]
    [InlineData("/form/static-lambda?n=1", "1")]
    [InlineData("/form/method?n=1", "method 1")]
    [InlineData("/form/instance?n=1", "hello 1")]
    [InlineData("/form/local?n=1", "local 1 hello")]
    [InlineData("/form/cast?n=1", "cast 1")]
    [InlineData("/form/defaults?n=1", "default 1")]
    [InlineData("/form/defaults", "default 3")]
    [InlineData("/form/named?n=1", "named 1")]
    [InlineData("/form/conditional?n=1", "maybe 1")]
    public async Task Every_form_of_handler_can_be_mapped_and_called(string path, string text) =>
        await server.GetAsync(path).Says(text);
}
