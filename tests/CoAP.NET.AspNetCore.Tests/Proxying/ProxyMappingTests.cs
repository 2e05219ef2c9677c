using System.Net.Http.Headers;
using CoAP.NET.Caching;

namespace CoAP.NET.AspNetCore.Tests.Proxying;

/// <summary>HTTP clients of CoAP servers behind a web application (RFC 7252 section 10.2, RFC 8075).</summary>
public sealed class ProxyMappingTests : ProxyTest
{
    [Fact]
    [Rfc("8075-5.3-1")]
    public async Task A_target_stands_behind_the_path_of_the_proxy()
    {
        await StartProxyAsync();
        using HttpResponseMessage response = await SendAsync("GET", $"/hc/{Origin}/text");

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal("hello", await response.Content.ReadAsStringAsync());
        Assert.Equal("text/plain; charset=utf-8", response.Content.Headers.ContentType!.ToString());
        Assert.Equal(FromSeconds(60), response.Headers.CacheControl!.MaxAge);
    }

    [Fact]
    public async Task A_body_that_came_whole_has_a_length_and_does_not_go_in_chunks()
    {
        await StartProxyAsync();

        string response = await SayAsync($"GET /hc/{Origin}/text HTTP/1.1\nHost: x\nConnection: close\n\n");

        Assert.Contains("Content-Length: 5", response, Ordinal);
        Assert.DoesNotContain("chunked", response, Ordinal);
    }

    [Fact]
    [Rfc("8075-5.3-1")]
    public async Task Escapes_and_brackets_come_as_they_were_written()
    {
        Coap.Listen("coap://[::1]:0");
        await StartProxyAsync();
        string port = Coap.LocalEndpoints[1].Split(':')[^1];

        string response = await SayAsync($"GET /hc/coap://%5B::1%5D:{port}/seen?a=%26b&c%20d HTTP/1.1\nHost: x\nConnection: close\n\n");

        Assert.StartsWith("HTTP/1.1 200", response, Ordinal);
        Assert.True(Seen.TryDequeue(out CoapRequest? seen));
        Assert.Equal(["a=&b", "c d"], seen.Queries);
    }

    [Theory]
    [Rfc("8075-5.4-1")]
    [InlineData("?target_uri={+tu}", "/hc", "/hc?target_uri=", "/text")]
    [InlineData("?target_uri={+tu}", "/api/{tenant}/hc", "/api/7/hc?target_uri=", "/text")]
    [InlineData("forward/{+tu}", "/hc/{**rest}", "/hc/forward/", "/text")]
    public async Task Other_templates_are_mapped(string template, string pattern, string before, string after)
    {
        await StartProxyAsync(proxy => proxy.Template = template, pattern);
        using HttpResponseMessage response = await SendAsync("GET", before + Origin + after);
        Assert.Equal("hello", await response.Content.ReadAsStringAsync());
    }

    [Fact]
    [Rfc("8075-5.4-1", "7252-10.2.4-1")]
    public async Task A_location_is_a_URI_of_the_proxy()
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
    public async Task A_code_is_the_status_of_the_table_with_its_payload(string method, string code, int status)
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
    public async Task Who_caused_a_bad_option_is_told_so_and_405_is_told_in_the_reason()
    {
        await StartProxyAsync();
        using HttpResponseMessage option = await SendAsync(
            "GET", $"/hc/{Origin}/code/4.02", change: request => request.Headers.Accept.Add(new("application/json")));
        using HttpResponseMessage method = await SendAsync("GET", $"/hc/{Origin}/code/4.05");

        Assert.Equal(HttpStatusCode.BadRequest, option.StatusCode);
        Assert.StartsWith("CoAP server returned 4.05", method.ReasonPhrase, Ordinal);
    }

    [Theory]
    [Rfc("7252-10.2.1-1", "7252-10.2-1")]
    [InlineData("OPTIONS")]
    [InlineData("TRACE")]
    [InlineData("PROPFIND")]
    public async Task Methods_without_a_counterpart_are_501(string method)
    {
        await StartProxyAsync();
        using HttpResponseMessage response = await SendAsync(method, $"/hc/{Origin}/seen");
        Assert.Equal(HttpStatusCode.NotImplemented, response.StatusCode);
        Assert.Empty(Seen);
    }

    [Fact]
    [Rfc("7252-10.2.3-1")]
    public async Task HEAD_has_no_body()
    {
        await StartProxyAsync();
        using HttpResponseMessage response = await SendAsync("HEAD", $"/hc/{Origin}/text");
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal("text/plain; charset=utf-8", response.Content.Headers.ContentType!.ToString());
    }

    [Fact]
    [Rfc("8075-6.1-1", "8075-6.3-1")]
    public async Task Media_types_without_a_Content_Format_are_415_unless_they_are_mapped_loosely()
    {
        CoapHttpProxyOptions? options = null;
        await StartProxyAsync(proxy => options = proxy);
        using HttpResponseMessage strict = await SendAsync("PUT", $"/hc/{Origin}/seen", Html());
        Assert.Equal(HttpStatusCode.UnsupportedMediaType, strict.StatusCode);
        Assert.Empty(Seen);

        options!.Translator.MediaTypes.Loose = true;
        using HttpResponseMessage loose = await SendAsync("PUT", $"/hc/{Origin}/seen", Html());
        Assert.Equal(HttpStatusCode.OK, loose.StatusCode);
        Assert.True(Seen.TryDequeue(out CoapRequest? seen));
        Assert.Equal(CoapContentFormat.TextPlain, seen.ContentFormat);

        static StringContent Html() => new("<p>", MediaTypeHeaderValue.Parse("text/html; charset=utf-8"));
    }

    [Fact]
    [Rfc("8075-8.3-1")]
    public async Task Bodies_of_any_size_are_streamed_both_ways()
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
    public async Task Nobody_at_a_target_that_the_client_named_is_502()
    {
        await StartProxyAsync();
        using HttpResponseMessage nobody = await SendAsync("GET", "/hc/coap://127.0.0.1:1/");
        Assert.Equal(HttpStatusCode.BadGateway, nobody.StatusCode);
    }

    [Fact]
    [Rfc("8075-8.1-1")]
    public async Task A_cache_answers_and_is_filled_though_its_client_has_gone()
    {
        int asked = 0;
        TaskCompletionSource begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource go = new(TaskCreationOptions.RunContinuationsAsynchronously);
        CoapCache cache = new();
        Coap.MapGet("/slow", async _ =>
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
    public async Task The_body_of_an_error_does_not_tell_an_address_that_the_client_did_not_name(int status, string expected)
    {
        using Socket mute = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        mute.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        string target = status == 504 ? $"coap://{mute.LocalEndPoint}/" : "coap://127.0.0.1:1/";
        await StartAsync(application =>
            application.MapCoapResource("/room", target, resource => resource.Timeout = FromSeconds(1)));
        Http.BaseAddress = new Uri($"http://127.0.0.1:{Port}");

        using HttpResponseMessage refused = await SendAsync("GET", "/room");

        string body = await refused.Content.ReadAsStringAsync();
        Assert.Equal(status, (int)refused.StatusCode);
        Assert.Contains(expected, body, Ordinal);
        Assert.DoesNotContain("127.0.0.1", body, Ordinal);
    }

    [Fact]
    public async Task A_resource_is_served_at_a_path_of_its_own()
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
        Assert.StartsWith("HTTP/1.1 404", await SayAsync("GET /rooms/..%2Fsecret HTTP/1.1\nHost: x\nConnection: close\n\n"),
            Ordinal);
        Assert.Throws<ArgumentException>(() => Application!.MapCoapResource("/x/{host}", "coap://{host}/"));
    }
}
