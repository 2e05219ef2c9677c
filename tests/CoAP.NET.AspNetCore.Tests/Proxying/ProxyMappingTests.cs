using System.Net.Http.Headers;
using CoAP.NET.Caching;

namespace CoAP.NET.AspNetCore.Tests.Proxying;

/// <summary>HTTP clients of CoAP servers behind a web application (RFC 7252 section 10.2, RFC 8075).</summary>
public sealed class ProxyMappingTests : ProxyTest
{
    [Fact]
    [Rfc("8075-5.3-1")]
    public async Task A_target_is_requested_at_the_path_of_the_proxy()
    {
        await StartProxyAsync();
        using HttpResponseMessage response = await SendAsync("GET", $"/hc/{Origin}/text");

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal("hello", await response.Content.ReadAsStringAsync());
        Assert.Equal("text/plain; charset=utf-8", response.Content.Headers.ContentType!.ToString());
        Assert.Equal(FromSeconds(60), response.Headers.CacheControl!.MaxAge);
    }

    [Fact]
    public async Task A_complete_body_is_sent_with_Content_Length_and_not_chunked()
    {
        await StartProxyAsync();

        string response = await SayAsync($"GET /hc/{Origin}/text HTTP/1.1\nHost: x\nConnection: close\n\n");

        response.Mentions("Content-Length: 5");
        response.Omits("chunked");
    }

    [Fact]
    [Rfc("8075-5.3-1")]
    public async Task Escapes_and_brackets_of_the_URI_are_passed_on_unchanged()
    {
        Coap.Listen("coap://[::1]:0");
        await StartProxyAsync();
        string port = Coap.LocalEndpoints[1].Origin().Split(':')[^1];

        string response = await SayAsync($"GET /hc/coap://%5B::1%5D:{port}/seen?a=%26b&c%20d HTTP/1.1\nHost: x\nConnection: close\n\n");

        response.Begins("HTTP/1.1 200");
        Assert.True(Seen.TryDequeue(out CoapRequestContext? seen));
        Assert.Equal(["a=&b", "c d"], seen.Queries);
    }

    [Theory]
    [Rfc("8075-5.4-1")]
    [InlineData("?target_uri={+tu}", "/hc", "/hc?target_uri=", "/text")]
    [InlineData("?target_uri={+tu}", "/api/{tenant}/hc", "/api/7/hc?target_uri=", "/text")]
    [InlineData("forward/{+tu}", "/hc/{**rest}", "/hc/forward/", "/text")]
    public async Task A_target_is_found_by_a_custom_URI_mapping_template(string template, string pattern, string before, string after)
    {
        await StartProxyAsync(proxy => proxy.Template = template, pattern);
        using HttpResponseMessage response = await SendAsync("GET", before + Origin + after);
        Assert.Equal("hello", await response.Content.ReadAsStringAsync());
    }

    [Fact]
    [Rfc("8075-5.4-1", "7252-10.2.4-1")]
    public async Task A_Location_header_is_a_URI_of_the_proxy()
    {
        await StartProxyAsync(proxy => proxy.Template = "{+s}/{+hp}{+p}{+qq}");
        string host = Origin["coap://".Length..];
        using HttpResponseMessage response = await SendAsync("POST", $"/hc/coap/{host}/code/2.01?location=/a/b?c=d");

        Assert.Equal(HttpStatusCode.Created, response.StatusCode);
        Assert.Equal($"/hc/coap/{host}/a/b?c=d", response.Headers.Location!.OriginalString);
    }

    [Theory]
    [Rfc("8075-7-1", "8075-7-2")]
    [InlineData("GET", "2.05", 200)]
    [InlineData("POST", "2.01", 201)]
    [InlineData("DELETE", "2.02", 200)]
    [InlineData("GET", "4.02", 500)]
    [InlineData("GET", "5.08", 508)]
    [Rfc("8768-5-1")]
    public async Task A_CoAP_code_becomes_the_HTTP_status_of_the_table_with_its_payload(string method, string code, int status)
    {
        await StartProxyAsync();
        using HttpResponseMessage response = await SendAsync(method, $"/hc/{Origin}/code/{code}?text=why%0D%0AX:%20y");

        Assert.Equal(status, (int)response.StatusCode);
        Assert.Equal("why\r\nX: y", await response.Content.ReadAsStringAsync());
        Assert.False(response.Headers.Contains("X"));
        Assert.Equal("nosniff", response.Headers.GetValues("X-Content-Type-Options").Single());
    }

    [Fact]
    [Rfc("8075-7-1", "8075-7-3")]
    public async Task A_rejected_Accept_header_is_answered_400_and_the_reason_phrase_names_4_05()
    {
        await StartProxyAsync();
        using HttpResponseMessage option = await SendAsync(
            "GET", $"/hc/{Origin}/code/4.02", change: request => request.Headers.Accept.Add(new("application/json")));
        using HttpResponseMessage method = await SendAsync("GET", $"/hc/{Origin}/code/4.05");

        Assert.Equal(HttpStatusCode.BadRequest, option.StatusCode);
        method.ReasonPhrase.Begins("CoAP server returned 4.05");
    }

    [Theory]
    [Rfc("7252-10.2.1-1", "7252-10.2-1")]
    [InlineData("OPTIONS")]
    [InlineData("TRACE")]
    [InlineData("PROPFIND")]
    public async Task Methods_without_a_CoAP_counterpart_are_answered_501(string method)
    {
        await StartProxyAsync();
        using HttpResponseMessage response = await SendAsync(method, $"/hc/{Origin}/seen");
        Assert.Equal(HttpStatusCode.NotImplemented, response.StatusCode);
        Assert.Empty(Seen);
    }

    [Fact]
    [Rfc("7252-10.2.3-1")]
    public async Task A_HEAD_response_has_no_body()
    {
        await StartProxyAsync();
        using HttpResponseMessage response = await SendAsync("HEAD", $"/hc/{Origin}/text");
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal("text/plain; charset=utf-8", response.Content.Headers.ContentType!.ToString());
    }

    [Fact]
    [Rfc("8075-6.1-1", "8075-6.3-1")]
    public async Task Media_types_without_a_Content_Format_are_answered_415_unless_loose_mapping_is_enabled()
    {
        CoapHttpProxyOptions? options = null;
        await StartProxyAsync(proxy => options = proxy);
        using HttpResponseMessage strict = await SendAsync("PUT", $"/hc/{Origin}/seen", Html());
        Assert.Equal(HttpStatusCode.UnsupportedMediaType, strict.StatusCode);
        Assert.Empty(Seen);

        options!.Translator.AllowLooseMediaTypes = true;
        using HttpResponseMessage loose = await SendAsync("PUT", $"/hc/{Origin}/seen", Html());
        Assert.Equal(HttpStatusCode.OK, loose.StatusCode);
        Assert.True(Seen.TryDequeue(out CoapRequestContext? seen));
        Assert.Equal(CoapContentFormat.TextPlain, seen.ContentFormat);

        static StringContent Html() => new("<p>", MediaTypeHeaderValue.Parse("text/html; charset=utf-8"));
    }

    [Fact]
    [Rfc("8075-8.3-1")]
    public async Task Bodies_of_any_size_are_streamed_in_both_directions()
    {
        byte[] sent = [.. Enumerable.Range(0, 300_000).Select(i => (byte)(i * 11))];
        byte[] kept = [];
        Coap.MapPut("/large", request =>
        {
            kept = request.Payload.ToArray();
            return CoapResults.Changed();
        });
        Coap.MapGet("/large", () => CoapResults.Bytes(kept, CoapContentFormat.OctetStream));
        await StartProxyAsync();

        using ByteArrayContent content = new(sent) { Headers = { ContentType = new("application/octet-stream") } };
        using HttpResponseMessage put =
            await SendAsync("PUT", $"/hc/{Origin}/large", content, request => request.Headers.TransferEncodingChunked = true);
        using HttpResponseMessage get = await SendAsync("GET", $"/hc/{Origin}/large");

        Assert.Equal(HttpStatusCode.NoContent, put.StatusCode);
        Assert.Equal(sent, await get.Content.ReadAsByteArrayAsync());
    }

    [Fact]
    [Rfc("9175-HC-1")]
    public async Task A_challenge_of_the_origin_is_answered_by_the_proxy()
    {
        Coap.MapPut("/fresh", () => CoapResults.Changed()).RequireFreshness(FromSeconds(10));
        await StartProxyAsync();
        using HttpResponseMessage response = await SendAsync("PUT", $"/hc/{Origin}/fresh", new StringContent("x"));
        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
    }

    [Fact]
    public async Task An_unreachable_target_is_answered_502()
    {
        await StartProxyAsync();
        using HttpResponseMessage nobody = await SendAsync("GET", "/hc/coap://127.0.0.1:1/");
        Assert.Equal(HttpStatusCode.BadGateway, nobody.StatusCode);
    }

    [Fact]
    [Rfc("8075-8.1-1")]
    public async Task The_cache_stores_the_response_of_a_request_whose_client_has_disconnected()
    {
        int asked = 0;
        TaskCompletionSource begun = new(RunContinuationsAsynchronously);
        TaskCompletionSource go = new(RunContinuationsAsynchronously);
        CoapCache cache = new();
        Coap.MapGet("/slow", async (_, _) =>
        {
            asked++;
            begun.TrySetResult();
            await go.Task;
            return "slow";
        });
        await StartProxyAsync(proxy => proxy.Cache = cache);

        using CancellationTokenSource gone = new();
        Task<HttpResponseMessage> first = Http.GetAsync(new Uri($"/hc/{Origin}/slow", UriKind.Relative), gone.Token);
        await begun.Task.WaitAsync(Hang);
        await gone.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
        go.SetResult();
        using HttpResponseMessage second = await SendAsync("GET", $"/hc/{Origin}/slow");

        Assert.Equal("slow", await second.Content.ReadAsStringAsync());
        while (cache.Count == 0)
        {
            await Task.Yield();
        }

        using HttpResponseMessage third = await SendAsync("GET", $"/hc/{Origin}/slow");
        Assert.Equal("slow", await third.Content.ReadAsStringAsync());
        Assert.InRange(asked, 1, 2);
    }

    [Fact]
    [Rfc("8075-5.5-1")]
    public async Task Proxies_are_announced_with_their_templates()
    {
        await StartProxyAsync(proxy => proxy.Template = "?uri={+tu}", "/hc/");
        Assert.Equal("</hc/>;rt=\"core.hc\";hct=\"?uri={+tu}\"",
            await Http.GetStringAsync(new Uri("/.well-known/core?rt=core.hc", UriKind.Relative)));
        Assert.Equal("", await Http.GetStringAsync(new Uri("/.well-known/core?rt=other", UriKind.Relative)));
    }

    [Theory]
    [InlineData(502, "cannot be reached")]
    [InlineData(504, "did not answer in time")]
    [Rfc("8075-8.5-1", "7252-10.2-1")]
    public async Task An_error_body_does_not_disclose_a_target_address_that_the_client_did_not_name(int status, string expected)
    {
        using Socket mute = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        mute.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        string target = status == 504 ? $"coap://{mute.LocalEndPoint}/" : "coap://127.0.0.1:1/";
        await StartAsync(application =>
            application.MapCoapResource("/room", target, resource => resource.Timeout = status == 504 ? FromSeconds(1) : FromMinutes(1)));
        Http.BaseAddress = new Uri($"http://127.0.0.1:{Port}");

        using HttpResponseMessage refused = await SendAsync("GET", "/room");

        string body = await refused.Content.ReadAsStringAsync();
        Assert.Equal(status, (int)refused.StatusCode);
        body.Mentions(expected);
        body.Omits("127.0.0.1");
    }

    [Fact]
    public async Task A_resource_is_mapped_to_its_own_HTTP_path()
    {
        Coap.MapGet("/lights/{id}", request => $"light {request.Route["id"]} {string.Join(' ', request.Queries)}");
        Coap.MapPost("/lights/{id}", request => CoapResults.Created($"/lights/{request.Route["id"]}/new?x"));
        Coap.MapGet("/secret", () => "secret");
        await Coap.StartAsync();
        await StartAsync(application =>
        {
            application.MapCoapResource("/rooms/{id}", Origin + "/lights/{id}");
            application.MapCoapResource("/known/{id}", context =>
                context.Request.RouteValues["id"] is "1" ? CoapUri.Parse(Origin + "/text") : null);
        });
        Http.BaseAddress = new Uri($"http://127.0.0.1:{Port}");

        Assert.Equal("light a/b on", await Http.GetStringAsync(new Uri("/rooms/a%2Fb?on", UriKind.Relative)).WaitAsync(Hang));
        using HttpResponseMessage created = await SendAsync("POST", "/rooms/7");
        Assert.Equal("/rooms/7/new?x", created.Headers.Location!.OriginalString);
        Assert.Equal("hello", await Http.GetStringAsync(new Uri("/known/1", UriKind.Relative)));
        using HttpResponseMessage unknown = await SendAsync("GET", "/known/2");
        Assert.Equal(HttpStatusCode.NotFound, unknown.StatusCode);
        (await SayAsync("GET /rooms/..%2Fsecret HTTP/1.1\nHost: x\nConnection: close\n\n")).Begins("HTTP/1.1 404");
        Assert.Throws<ArgumentException>(() => Application!.MapCoapResource("/x/{host}", "coap://{host}/"));
    }
}
