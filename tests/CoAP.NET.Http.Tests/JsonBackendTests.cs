namespace CoAP.NET.Http.Tests;

/// <summary>Devices that speak CBOR and a back end that speaks JSON.</summary>
public sealed class JsonBackendTests : BackendTest
{
    private static readonly byte[] s_cbor = Convert.FromHexString("a1617401"); // {"t": 1}

    [Fact]
    public async Task A_CBOR_request_is_JSON_for_the_back_end_and_the_JSON_response_is_CBOR_for_the_device()
    {
        Web.MapPost("/api/data", () => Results.Json(new { ok = true }));
        await StartAsync(http => http.Translator.ConvertsJson = true);

        CoapResponse response = await SendAsync(CoapMethod.Post, "/b/data", s_cbor, CoapContentFormat.Cbor);

        Assert.Equal(("application/json", "{\"t\":1}"), (Seen.Single().Headers.ContentType.ToString(), Seen.Single().Body));
        Assert.Equal((CoapCode.Changed, CoapContentFormat.Cbor), (response.Code, response.ContentFormat));
        Assert.Equal("a1626f6bf5", Convert.ToHexStringLower(response.Payload.Span));
    }

    [Theory]
    [InlineData("application/cbor", "2.04", "application/json application/cbor")]
    [InlineData("text/plain", "4.15", "application/json application/cbor")]
    [InlineData("application/json", "2.04", "application/json")]
    public async Task A_back_end_route_without_JSON_conversion_gets_the_original_payload(string reads, string code, string tried)
    {
        Web.MapPost("/api/data", (HttpContext context) =>
            Results.StatusCode(context.Request.ContentType == reads ? 204 : 415));
        await StartAsync(http => http.Translator.ConvertsJson = true);

        CoapResponse response = await SendAsync(CoapMethod.Post, "/b/data", [0xa1, 0x61, 0x74, 0x01], CoapContentFormat.Cbor);

        Assert.Equal(CoapCode.Parse(code), response.Code);
        Assert.Equal(tried.Split(' '), Seen.Select(seen => seen.Headers.ContentType.ToString()));
    }

    [Theory]
    [InlineData(60, "application/json, application/cbor;q=0.9", "application/json; charset=utf-8", 60, "a1617401")]
    [InlineData(60, "application/json, application/cbor;q=0.9", "application/cbor", 60, "7b2274223a317d")] // as the server said
    [InlineData(50, "application/json", "application/json", 50, "7b2274223a317d")]
    [InlineData(null, "", "application/json", 50, "7b2274223a317d")]
    [InlineData(60, "application/json, application/cbor;q=0.9", "application/json; charset=utf-16", null, "")]
    [InlineData(112, "application/senml+json, application/senml+cbor;q=0.9", "application/json", null, "")]
    public async Task Accept_asks_for_JSON_and_for_what_the_device_reads(
        int? accept, string expected, string mediaType, int? format, string payload)
    {
        Web.MapGet("/api/data", () => Results.Bytes("{\"t\":1}"u8.ToArray(), mediaType));
        await StartAsync(http => http.Translator.ConvertsJson = true);

        CoapResponse response = await Client.SendAsync(new CoapRequest(CoapMethod.Get, Coap + "/b/data")
        {
            Accept = accept is { } number ? CoapContentFormat.FromInt32(number) : null,
        });

        Assert.Equal(expected, Seen.Single().Headers.Accept.ToString());
        Assert.Equal(format is null ? CoapCode.NotAcceptable : CoapCode.Content, response.Code);
        Assert.Equal(format, format is null ? null : response.ContentFormat?.Value);
        Assert.Equal(payload, format is null ? payload : Convert.ToHexStringLower(response.Payload.Span));
    }

    [Fact]
    public async Task SenML_measurements_are_converted_with_the_labels_of_JSON()
    {
        Web.MapPost("/api/data", () => Results.Ok());
        await StartAsync(http => http.Translator.ConvertsJson = true);
        CoapSenmlPack pack = new(new CoapSenmlRecord { Name = "temp", Unit = "Cel", Value = 21.5 });

        await SendAsync(CoapMethod.Post, "/b/data", pack.ToBytes(CoapContentFormat.SenmlCbor), CoapContentFormat.SenmlCbor);

        Assert.Equal("application/senml+json", Seen.Single().Headers.ContentType.ToString());
        Assert.Equal("""[{"n":"temp","u":"Cel","v":21.5}]""", Seen.Single().Body);
    }

    [Theory]
    [InlineData("a2616101616102", "4.00")] // a key twice
    [InlineData("ff", "4.00")]
    [InlineData("8301020304", "4.00")]
    [InlineData("8af90001f90001f90001f90001f90001f90001f90001f90001f90001f90001", "4.13")] // grows beyond the limit
    public async Task CBOR_that_has_no_JSON_form_does_not_reach_the_back_end(string cbor, string code)
    {
        await StartAsync(http =>
        {
            http.Translator.ConvertsJson = true;
            http.Translator.MaxJsonSize = 40;
        });

        CoapResponse response = await SendAsync(CoapMethod.Post, "/b/data", Convert.FromHexString(cbor), CoapContentFormat.Cbor);

        Assert.Equal(code, response.Code.ToString()[..4]);
        Assert.NotEmpty(response.GetText());
        Assert.Empty(Seen);
    }

    [Theory]
    [InlineData("{\"a\":1,\"a\":2}")]
    [InlineData("{")]
    [InlineData("[1.1,1.1,1.1,1.1,1.1,1.1,1.1,1.1,1.1,1.1]")]
    public async Task A_response_that_cannot_be_converted_is_answered_5_02(string json)
    {
        Web.MapGet("/api/data", () => Results.Text(json, "application/json"));
        await StartAsync(http =>
        {
            http.Translator.ConvertsJson = true;
            http.Translator.MaxJsonSize = 64;
        });

        CoapResponse response = await Client.SendAsync(
            new CoapRequest(CoapMethod.Get, Coap + "/b/data") { Accept = CoapContentFormat.Cbor });

        response.Gives(CoapCode.BadGateway);
    }

    [Theory]
    [InlineData("""{"type":"https://example.com/full","title":"Full"}""", "Full")]
    [InlineData("{", null)] // the code stays
    public async Task Problem_details_of_the_back_end_are_concise_ones(string json, string? title)
    {
        Web.MapPost("/api/data", () => Results.Text(json, "application/problem+json", statusCode: 409));
        await StartAsync(http => http.Translator.ConvertsJson = true);

        CoapResponse response = await SendAsync(CoapMethod.Post, "/b/data", s_cbor, CoapContentFormat.Cbor);

        response.Gives(CoapCode.Conflict);
        Assert.Equal(title is not null, response.TryReadProblem(out CoapProblem? problem));
        Assert.Equal(title, problem?.Title);
    }

    [Fact]
    public async Task An_entity_tag_belongs_to_a_representation_in_a_single_format()
    {
        Web.MapGet("/api/data", context =>
        {
            context.Response.Headers.ETag = "\"v1\"";
            context.Response.StatusCode = context.Request.Headers.IfNoneMatch == "\"v1\"" ? 304 : 200;
            return context.Response.StatusCode == 304 ? Task.CompletedTask : context.Response.WriteAsJsonAsync(new { t = 1 });
        });
        Web.MapPut("/api/data", (HttpContext context) =>
            Results.StatusCode(context.Request.Headers.IfMatch == "\"v1\"" ? 204 : 412));
        await StartAsync(http => http.Translator.ConvertsJson = true);

        byte[] cborTag = (await GetAsync(CoapContentFormat.Cbor)).Options.ETag!.Value.ToArray();
        byte[] jsonTag = (await GetAsync(CoapContentFormat.Json)).Options.ETag!.Value.ToArray();
        Assert.NotEqual(cborTag, jsonTag);

        CoapResponse valid = await GetAsync(CoapContentFormat.Cbor, cborTag);
        valid.Gives(CoapCode.Valid);
        Assert.Equal(cborTag, valid.Options.ETag!.Value.ToArray());
        await GetAsync(CoapContentFormat.Cbor, jsonTag).Gives(CoapCode.Content);
        await GetAsync(CoapContentFormat.Json, cborTag).Gives(CoapCode.Content);

        CoapRequest put = new(CoapMethod.Put, Coap + "/b/data")
        {
            Content = new CoapContent(s_cbor, CoapContentFormat.Cbor),
        };
        put.Options.Add(OptionNumber.IfMatch, cborTag);
        await Client.SendAsync(put).Gives(CoapCode.Changed);
    }

    [Fact]
    public async Task JSON_conversion_is_enabled_for_each_route_separately()
    {
        Web.MapPost("/api/data", () => Results.Ok());
        await StartAsync();
        Server.MapHttpBackend("/json/{*path}", Http + "/api", Proxy, http => http.Translator.ConvertsJson = true);

        await SendAsync(CoapMethod.Post, "/b/data", s_cbor, CoapContentFormat.Cbor);
        await SendAsync(CoapMethod.Post, "/json/data", s_cbor, CoapContentFormat.Cbor);

        Assert.Equal(["application/cbor", "application/json"], Seen.Select(seen => seen.Headers.ContentType.ToString()));
    }

    [Fact]
    public async Task A_custom_format_is_mapped_to_its_JSON_media_type()
    {
        Web.MapPost("/api/data", () => Results.Ok());
        await StartAsync(http =>
        {
            http.Translator.ConvertsJson = true;
            http.Translator.JsonMediaTypes[(CoapContentFormat)65001] = "application/vnd.example+json";
        });

        await SendAsync(CoapMethod.Post, "/b/data", s_cbor, (CoapContentFormat)65001);

        Assert.Equal(("application/vnd.example+json", "{\"t\":1}"), (Seen.Single().Headers.ContentType.ToString(), Seen.Single().Body));
    }

    private Task<CoapResponse> SendAsync(CoapMethod method, string path, byte[] payload, CoapContentFormat format) =>
        Client.SendAsync(new CoapRequest(method, Coap + path) { Content = new CoapContent(payload, format) });

    private Task<CoapResponse> GetAsync(CoapContentFormat accept, byte[]? tag = null)
    {
        CoapRequest request = new(CoapMethod.Get, Coap + "/b/data") { Accept = accept };
        if (tag is not null)
        {
            request.Options.Add(new ETagOption(tag));
        }

        return Client.SendAsync(request);
    }
}
