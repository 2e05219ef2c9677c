using System.Security.Cryptography;
using System.Text.Json;

namespace CoAP.NET.Http.Tests;

/// <summary>CoAP clients of HTTP servers (RFC 7252 section 10.1).</summary>
public sealed class BackendTests : BackendTest
{
    private static readonly byte[] s_key = [.. Enumerable.Range(0, 32).Select(i => (byte)i)];
    private static readonly TimeSpan s_hang = FromMinutes(2);

    [Theory]
    [Rfc("7252-10.1.2-1", "7252-10.1.3-1", "7252-10.1.4-1", "7252-10.1-2", "7252-10-1")]
    [InlineData(CoapMethod.Get, 200, "2.05")]
    [InlineData(CoapMethod.Put, 201, "2.01")]
    [InlineData(CoapMethod.Put, 204, "2.04")]
    [InlineData(CoapMethod.Post, 200, "2.04")]
    [InlineData(CoapMethod.Delete, 404, "2.02")]
    [InlineData(CoapMethod.IPatch, 204, "2.04")]
    [InlineData(CoapMethod.Get, 301, "5.02")]
    [InlineData(CoapMethod.Get, 418, "4.00")]
    [InlineData(CoapMethod.Get, 503, "5.03")]
    public async Task Methods_and_status_codes_are_mapped_according_to_the_tables(CoapMethod method, int status, string code)
    {
        await StartAsync();
        foreach (bool confirmable in (bool[])[true, false])
        {
            CoapRequest request =
                new(method, $"{Coap}/b/status/{status}?a=b") { Confirmable = confirmable, Timeout = s_hang };
            if (method == CoapMethod.IPatch)
            {
                request.Content = CoapContent.Text("x");
            }

            CoapResponse response = await Client.SendAsync(request);
            Assert.Equal(code, response.Code.ToString()[..4]);
        }

        string expected = $"{(method == CoapMethod.IPatch ? "PATCH" : method.ToString().ToUpperInvariant())} /api/status/{status}?a=b";
        Assert.Equal([expected, expected], Seen.Select(seen => seen.Line));
    }

    [Fact]
    public async Task A_large_upload_is_streamed_to_the_back_end()
    {
        await StartAsync();
        string text = new('a', 300_000);

        CoapResponse response = await Client.PutAsync($"{Coap}/b/status/204", CoapContent.Text(text));

        response.Gives(CoapCode.Changed);
        Assert.True(Seen.TryDequeue(out (string Line, IHeaderDictionary Headers, string Body) seen));
        Assert.Equal(("PUT /api/status/204", text), (seen.Line, seen.Body));
        Assert.Equal("chunked", seen.Headers.TransferEncoding);
        Assert.Equal("100-continue", seen.Headers.Expect);
        seen.Headers.ContentType.ToString().Begins("text/plain");
        Assert.Equal((1, 0), (Proxy.GetCounters().StreamedUploads, Proxy.GetCounters().InProgress));
    }

    [Fact]
    public async Task A_FETCH_request_is_answered_5_01()
    {
        await StartAsync();
        CoapResponse response = await Client.FetchAsync(Coap + "/b/x", CoapContent.Text("q"));
        response.Gives(CoapCode.NotImplemented);
        Assert.Empty(Seen);
    }

    [Theory]
    [Rfc("7252-10.1.1-1")]
    [InlineData("Cache-Control", "max-age=100", "40", 60)]
    [InlineData("Cache-Control", "max-age=10", "40", 0)]
    [InlineData("Cache-Control", "public, max-age=1, s-maxage=7", null, 7)]
    [InlineData("Cache-Control", "no-store", null, 0)]
    [InlineData("Cache-Control", "no-cache, max-age=5", null, 0)]
    [InlineData("Cache-Control", "private, max-age=5", null, 0)]
    [InlineData("X-None", "x", null, 0)]
    public async Task Max_Age_is_the_remaining_freshness_lifetime(string field, string value, string? age, int expected)
    {
        Web.MapGet("/api/fresh", context =>
        {
            context.Response.Headers[field] = value;
            context.Response.Headers.Age = age;
            return context.Response.WriteAsJsonAsync(new { t = 21 });
        });
        await StartAsync();
        CoapResponse response = await Client.GetAsync(Coap + "/b/fresh");

        Assert.Equal(CoapContentFormat.Json, response.ContentFormat);
        Assert.Equal(FromSeconds(expected), response.MaxAge);
    }

    [Theory]
    [Rfc("7252-10.1.1-2")]
    [InlineData("\"short\"", true)]
    [InlineData("\"a-tag-that-is-longer-than-eight-bytes\"", true)]
    [InlineData("W/\"weak\"", false)]
    public async Task Strong_entity_tags_are_passed_on_and_weak_entity_tags_are_omitted(string tag, bool isStrong)
    {
        Web.MapGet("/api/tagged", context =>
        {
            context.Response.Headers.ETag = tag;
            context.Response.StatusCode = context.Request.Headers.IfNoneMatch == tag ? 304 : 200;
            return context.Response.StatusCode == 304 ? Task.CompletedTask : context.Response.WriteAsync("body");
        });
        await StartAsync();
        CoapResponse first = await Client.GetAsync(Coap + "/b/tagged");
        Assert.Equal(isStrong, first.Options.ETag is not null);
        if (first.Options.ETag is not { } given)
        {
            return;
        }

        CoapRequest again = new(CoapMethod.Get, Coap + "/b/tagged");
        again.Options.Add(new ETagOption(given.ToArray()));
        await Client.SendAsync(again).Gives(CoapCode.Valid);
    }

    [Fact]
    [Rfc("7252-10.1-3", "8768-5-1")]
    public async Task Large_bodies_are_transferred_blockwise_without_a_requested_content_coding()
    {
        string large = new('x', 100_000);
        Web.MapPost("/api/large", () => Results.Ok());
        Web.MapGet("/api/large", () => large);
        await StartAsync();

        CoapResponse response = await Client.PostAsync(Coap + "/b/large", CoapContent.Text(large));
        response.Gives(CoapCode.Changed);
        Assert.Equal(large, Seen.First().Body);
        Assert.Equal("text/plain;charset=utf-8", Seen.First().Headers.ContentType.ToString().Replace(" ", "", Ordinal));
        Assert.Equal("identity", Seen.First().Headers.AcceptEncoding);
        Assert.Equal("16", Seen.First().Headers[CoapHttpExtensions.HopLimitField]);
        Assert.Equal("CoAP/1 coap-proxy", Seen.First().Headers.Via.ToString());
        await Client.GetAsync(Coap + "/b/large").Says(large);
    }

    [Theory]
    [InlineData("image/x-unknown", null, "2.05", 42)]
    [InlineData("image/x-unknown", 50, "4.06", null)]
    [InlineData("application/json", 50, "2.05", 50)]
    [InlineData("application/json", 60, "4.06", null)]
    public async Task Media_types_unknown_to_CoAP_become_octet_stream_unless_another_format_was_requested(
        string mediaType, int? accept, string code, int? format)
    {
        Web.MapGet("/api/media", () => Results.Bytes([1, 2], mediaType));
        await StartAsync();
        CoapResponse response = await Client.SendAsync(new CoapRequest(CoapMethod.Get, Coap + "/b/media")
        {
            Accept = accept is { } number ? CoapContentFormat.FromInt32(number) : null,
        });

        Assert.Equal(code, response.Code.ToString()[..4]);
        Assert.Equal(format, response.ContentFormat?.Value);
    }

    [Fact]
    [Rfc("7252-10.1.4-1")]
    public async Task A_location_below_the_back_end_is_translated_and_any_other_location_is_omitted()
    {
        Web.MapPost("/api/things", () => Results.Created("/api/things/a%20b?c=d", null));
        Web.MapPost("/api/strange", () => Results.Created("/api/things/%Be", null));
        Web.MapPost("/api/elsewhere", () => Results.Created("http://127.0.0.1:1/x", null));
        await StartAsync();

        CoapResponse here = await Client.PostAsync(Coap + "/b/things", CoapContent.Text("x"));
        CoapResponse elsewhere = await Client.PostAsync(Coap + "/b/elsewhere", CoapContent.Text("x"));

        here.Gives(CoapCode.Created);
        Assert.Equal("/b/things/a%20b?c=d", here.Options.Location);
        Assert.Null(elsewhere.Options.Location);
        CoapResponse strange = await Client.PostAsync(Coap + "/b/strange", CoapContent.Text("x"));
        Assert.Equal((CoapCode.Created, null), (strange.Code, strange.Options.Location));
    }

    [Fact]
    public async Task Redirects_are_followed_to_the_same_origin_only()
    {
        Web.MapGet("/api/moved", () => Results.Redirect("/api/here"));
        Web.MapGet("/api/here", () => "here");
        Web.MapGet("/api/away", () => Results.Redirect("http://127.0.0.1:1/"));
        Web.MapGet("/api/round", () => Results.Redirect("/api/round"));
        await StartAsync();

        await Client.GetAsync(Coap + "/b/moved").Says("here");
        await Client.GetAsync(Coap + "/b/away").Gives(CoapCode.BadGateway);
        await Client.GetAsync(Coap + "/b/round").Gives(CoapCode.BadGateway);
    }

    [Fact]
    public async Task The_back_end_can_verify_the_identity_of_the_device()
    {
        Web.MapPost("/api/telemetry", () => Results.Ok());
        await StartAsync(options =>
        {
            options.Identity = _ => "sensor-7";
            options.IdentityKey = s_key;
        });
        await Client.PostAsync(Coap + "/b/telemetry", CoapContent.Text("21.5"));

        string token = Seen.Single().Headers.Authorization.ToString()["Bearer ".Length..];
        string[] parts = token.Split('.');
        byte[] signature = HMACSHA256.HashData(s_key, Encoding.ASCII.GetBytes($"{parts[0]}.{parts[1]}"));
        Assert.Equal(signature, System.Buffers.Text.Base64Url.DecodeFromChars(parts[2]));
        JsonElement claims = JsonDocument.Parse(System.Buffers.Text.Base64Url.DecodeFromChars(parts[1])).RootElement;
        Assert.Equal("sensor-7", claims.TextOf("sub"));
        Assert.Equal(Http, claims.TextOf("aud"));
        Assert.Equal(60, claims.GetProperty("exp").GetInt64() - claims.GetProperty("iat").GetInt64());
        Assert.Throws<ArgumentException>(() => Proxy.UseHttp(options => options.Identity = _ => "x"));
    }

    [Fact]
    public async Task The_response_for_a_device_is_not_shared_with_another_device()
    {
        TaskCompletionSource both = new(RunContinuationsAsynchronously);
        int asked = 0;
        Web.MapGet("/api/mine", async context =>
        {
            if (Interlocked.Increment(ref asked) == 2)
            {
                both.SetResult();
            }

            await both.Task.WaitAsync(s_hang);
            string claims = context.Request.Headers.Authorization.ToString().Split('.')[1];
            string? device = JsonDocument.Parse(System.Buffers.Text.Base64Url.DecodeFromChars(claims)).RootElement.GetProperty(
                "sub").GetString();
            await context.Response.WriteAsync(device!);
        });
        await StartAsync(options =>
        {
            options.Identity = request => request.Peer.RemoteEndPoint.ToString();
            options.IdentityKey = s_key;
        });
        await using CoapClient other = new();

        string[] answers = [.. (await Task.WhenAll(
            Client.GetAsync(Coap + "/b/mine"),
                other.GetAsync(Coap + "/b/mine")).WaitAsync(s_hang))
            .Select(response => response.GetText())];

        Assert.NotEqual(answers[0], answers[1]);
    }

    [Fact]
    [Rfc("7252-10.1-1")]
    public async Task A_forward_proxy_requests_HTTP_servers_whose_addresses_are_allowed()
    {
        Web.MapGet("/api/text", () => "text");
        await StartAsync();

        await ForwardAsync($"{Http}/api/text").Gives(CoapCode.ProxyingNotSupported);
        Proxy.Targets.AllowHost("localhost:*");
        await ForwardAsync($"{Http.Replace("127.0.0.1", "localhost", Ordinal)}/api/text").Gives(CoapCode.ProxyingNotSupported);
        Assert.Empty(Seen);

        Proxy.Targets.AllowNetwork("127.0.0.0/8:*");
        await ForwardAsync($"{Http}/api/text").Says("text");
        await ForwardAsync("http://127.0.0.1:1/").Gives(CoapCode.BadGateway);
        await ForwardAsync("ftp://127.0.0.1/").Gives(CoapCode.ProxyingNotSupported);
    }

    [Fact]
    public async Task A_forward_proxy_does_not_follow_a_redirect_to_a_forbidden_target()
    {
        Web.MapGet("/api/away", () => Results.Redirect("http://10.0.0.1/"));
        await StartAsync();
        Proxy.Targets.AllowNetwork("127.0.0.0/8:*");
        await ForwardAsync($"{Http}/api/away").Gives(CoapCode.BadGateway);
    }

    [Fact]
    public void A_back_end_target_that_is_not_an_HTTP_URI_is_refused() =>
        Assert.Throws<ArgumentException>(() => Server.MapHttpBackend("/x", "coap://127.0.0.1/", Proxy));

    private Task<CoapResponse> ForwardAsync(string target)
    {
        CoapRequest request = new(CoapMethod.Get, Coap);
        request.Options.Add(new ProxyUriOption(target));
        return Client.SendAsync(request).WaitAsync(s_hang);
    }
}
