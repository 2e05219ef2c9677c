namespace CoAP.NET.Http.Tests;

/// <summary>HTTP clients that speak JSON and CoAP servers that speak CBOR.</summary>
public sealed class JsonHandlerTests : Origin
{
    public JsonHandlerTests()
    {
        Handler.Translator.ConvertsJson = true;
        Server.MapGet("/cbor", request =>
        {
            CoapResult result = request.Accept is null || request.Accept == CoapContentFormat.Cbor
                ? CoapResults.Status(CoapCode.Content, Convert.FromHexString("a1617401"), CoapContentFormat.Cbor)
                : CoapResults.NotAcceptable();
            return result.WithETag(new CoapETag([1, 2]));
        }).AllowAnyAccept();
        Server.MapGet("/json", _ => CoapResults.Status(CoapCode.Content, "{}"u8.ToArray(), CoapContentFormat.Json));
        Server.MapGet("/bad", _ => CoapResults.Status(CoapCode.Content, new byte[] { 0xff }, CoapContentFormat.Cbor));
        Server.MapGet("/large", _ => CoapResults.Status(CoapCode.Content, Large(), CoapContentFormat.Cbor));
        Server.MapGet("/problem", _ => CoapResults.Status(
            CoapCode.NotFound, new CoapProblem { Title = "No lamp" }.ToBytes(), CoapContentFormat.ConciseProblemDetails));
    }

    [Fact]
    public async Task A_JSON_request_is_CBOR_for_the_server()
    {
        using HttpResponseMessage response = await SendAsync(
            "POST", "/seen", new StringContent("{\"t\":1}", Encoding.UTF8, "application/json"));

        Assert.True(Seen.TryDequeue(out CoapRequestContext? request));
        Assert.Equal((CoapContentFormat.Cbor, "a1617401"), (request.ContentFormat, Convert.ToHexStringLower(request.Payload.Span)));
    }

    [Theory]
    [InlineData("/cbor", null, "application/json", "{\"t\":1}")]
    [InlineData("/cbor", "application/json", "application/json", "{\"t\":1}")]
    [InlineData("/cbor", "*/*", "application/json", "{\"t\":1}")]
    [InlineData("/json", "application/json", "application/json", "{}")]
    [InlineData("/cbor", "application/cbor", "application/cbor", null)]
    public async Task A_CBOR_response_is_JSON_unless_CBOR_is_accepted(
        string path, string? accept, string mediaType, string? text)
    {
        using HttpResponseMessage response = await SendAsync("GET", path, change: request => Accept(request, accept));

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(mediaType, response.Content.Headers.ContentType!.MediaType);
        Assert.Equal("Accept", response.Headers.Vary.Single());
        if (text is not null)
        {
            Assert.Equal(text, await response.Content.ReadAsStringAsync());
        }
    }

    [Fact]
    public async Task A_HEAD_response_has_the_headers_of_GET()
    {
        using HttpResponseMessage response = await SendAsync("HEAD", "/cbor");
        Assert.Equal("application/json", response.Content.Headers.ContentType!.MediaType);
    }

    [Fact]
    public async Task The_entity_tag_of_converted_JSON_differs_from_that_of_CBOR_and_validates()
    {
        using HttpResponseMessage json = await SendAsync("GET", "/cbor");
        using HttpResponseMessage cbor = await SendAsync("GET", "/cbor", change: request => Accept(request, "application/cbor"));
        Assert.Equal("\"0102-json\"", json.Headers.ETag!.Tag);
        Assert.Equal("\"0102\"", cbor.Headers.ETag!.Tag);

        using HttpResponseMessage again =
            await SendAsync("GET", "/cbor", change: request => request.Headers.IfNoneMatch.Add(json.Headers.ETag));
        Assert.Equal((HttpStatusCode.NotModified, "\"0102-json\""), (again.StatusCode, again.Headers.ETag!.Tag));
    }

    [Theory]
    [InlineData("{\"a\":1,\"a\":2}", HttpStatusCode.BadRequest)]
    [InlineData("{", HttpStatusCode.BadRequest)]
    [InlineData("[1.1,1.1,1.1,1.1,1.1,1.1,1.1,1.1,1.1,1.1]", HttpStatusCode.RequestEntityTooLarge)] // grows
    [InlineData("\"01234567890123456789012345678901234567890123456789012345678901234567890\"", HttpStatusCode.RequestEntityTooLarge)]
    public async Task JSON_that_has_no_CBOR_form_is_not_sent(string json, HttpStatusCode status)
    {
        Handler.Translator.MaxJsonSize = 64;
        using HttpResponseMessage response =
            await SendAsync("POST", "/seen", new StringContent(json, Encoding.UTF8, "application/json"));
        Assert.Equal(status, response.StatusCode);
        Assert.Empty(Seen);
    }

    [Theory]
    [InlineData("/bad")]
    [InlineData("/large")]
    public async Task A_response_that_cannot_be_converted_is_answered_502(string path)
    {
        Handler.Translator.MaxJsonSize = 4096;
        using HttpResponseMessage response = await SendAsync("GET", path);
        Assert.Equal(HttpStatusCode.BadGateway, response.StatusCode);
    }

    [Fact]
    public async Task Concise_problem_details_become_HTTP_problem_details()
    {
        using HttpResponseMessage response = await SendAsync("GET", "/problem");
        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType!.MediaType);
        Assert.Equal("""{"title":"No lamp","status":404}""", await response.Content.ReadAsStringAsync());
    }

    private static byte[] Large() => [0x59, 0x20, 0x00, .. new byte[0x2000]];

    private static void Accept(HttpRequestMessage request, string? accept)
    {
        if (accept is not null)
        {
            request.Headers.Accept.Add(MediaTypeWithQualityHeaderValue.Parse(accept));
        }
    }
}
