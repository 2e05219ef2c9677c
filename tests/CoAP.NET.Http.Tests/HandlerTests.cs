using System.Net.Http.Json;
using CoAP.NET.Caching;

namespace CoAP.NET.Http.Tests;

/// <summary>An <see cref="HttpClient"/> of CoAP servers.</summary>
public sealed class HandlerTests : Origin
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    [Fact]
    public async Task A_CoAP_resource_is_read_like_a_web_resource()
    {
        using HttpResponseMessage response = await SendAsync("GET", "/text");

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal("text/plain; charset=utf-8", response.Content.Headers.ContentType!.ToString());
        Assert.Equal(5, response.Content.Headers.ContentLength);
        Assert.Equal("hello", await response.Content.ReadAsStringAsync());
        Assert.Equal(CoapCode.Content, response.GetCoapResponse()!.Code);
    }

    [Fact]
    public async Task Relative_URIs_and_TCP_connections_are_supported()
    {
        await Server.StartAsync();
        Client.BaseAddress = new Uri(TcpAddress + "/code/");
        Assert.Equal("x y", await Client.GetStringAsync(new Uri("2.05?text=x%20y", UriKind.Relative)));
    }

    [Fact]
    public async Task The_original_text_of_a_URI_is_used()
    {
        (await SendAsync("GET", "/seen?a=%26b&c#d")).Dispose();
        Assert.True(Seen.TryDequeue(out CoapRequestContext? request));
        Assert.Equal(["a=&b", "c"], request.Queries);
    }

    [Theory]
    [Rfc("7252-10.2.1-1")]
    [InlineData("OPTIONS")]
    [InlineData("TRACE")]
    [InlineData("CONNECT")]
    [InlineData("QUERY")]
    public async Task A_method_without_a_CoAP_counterpart_is_answered_501(string method)
    {
        using HttpResponseMessage response = await SendAsync(method, "/seen");
        Assert.Equal(HttpStatusCode.NotImplemented, response.StatusCode);
        Assert.Empty(Seen);
    }

    [Theory]
    [InlineData("GET", "GET")]
    [InlineData("POST", "POST")]
    [InlineData("PUT", "PUT")]
    [InlineData("DELETE", "DELETE")]
    [InlineData("PATCH", "PATCH")]
    [InlineData("FETCH", "FETCH")]
    [InlineData("iPATCH", "iPATCH")]
    public async Task An_HTTP_method_is_mapped_to_its_CoAP_method(string method, string expected)
    {
        (await SendAsync(method, "/seen", method == "FETCH" ? new StringContent("a") : null)).Dispose();
        Assert.True(Seen.TryDequeue(out CoapRequestContext? request));
        Assert.Equal(expected, request.Method.ToString(), ignoreCase: true);
    }

    [Fact]
    public async Task A_FETCH_request_without_a_Content_Type_is_answered_415()
    {
        using HttpResponseMessage response = await SendAsync("FETCH", "/seen");
        Assert.Equal(HttpStatusCode.UnsupportedMediaType, response.StatusCode);
    }

    [Fact]
    [Rfc("7252-10.2.3-1")]
    public async Task A_HEAD_response_has_the_headers_of_GET_and_no_body()
    {
        using HttpResponseMessage get = await SendAsync("GET", "/text");
        using HttpResponseMessage head = await SendAsync("HEAD", "/text");

        Assert.Equal(get.StatusCode, head.StatusCode);
        Assert.Equal(get.Content.Headers.ContentType, head.Content.Headers.ContentType);
        Assert.Equal(get.Headers.CacheControl, head.Headers.CacheControl);
        Assert.Empty(await head.Content.ReadAsByteArrayAsync());
    }

    [Fact]
    [Rfc("7252-10.2.2-1")]
    public async Task The_max_age_directive_is_the_remaining_freshness_lifetime()
    {
        using HttpResponseMessage given = await SendAsync("GET", "/code/2.05?age=30&text=a");
        using HttpResponseMessage absent = await SendAsync("GET", "/code/2.05?text=a");
        using HttpResponseMessage changed = await SendAsync("POST", "/code/2.04");

        Assert.Equal(FromSeconds(30), given.Headers.CacheControl!.MaxAge);
        Assert.Equal(FromSeconds(60), absent.Headers.CacheControl!.MaxAge);
        Assert.Null(changed.Headers.CacheControl);
    }

    [Theory]
    [Rfc("8075-7-1")]
    [InlineData("5.03", 503)]
    [InlineData("4.29", 429)]
    public async Task A_response_that_asks_the_client_to_wait_has_a_Retry_After_header(string code, int status)
    {
        using HttpResponseMessage response = await SendAsync("GET", $"/code/{code}?age=7");
        Assert.Equal(status, (int)response.StatusCode);
        Assert.Equal(FromSeconds(7), response.Headers.RetryAfter!.Delta);

        if (status == 429)
        {
            // The second time the client keeps it back itself (RFC 8516).
            using HttpResponseMessage again = await SendAsync("GET", $"/code/{code}?age=7");
            Assert.Equal(HttpStatusCode.TooManyRequests, again.StatusCode);
            Assert.InRange(again.Headers.RetryAfter!.Delta!.Value.TotalSeconds, 1, 7);
        }
    }

    [Fact]
    [Rfc("8075-7-2", "7252-10.2.4-1", "7252-10.2.5-1")]
    public async Task Payloads_of_changes_and_locations_are_passed_on()
    {
        using HttpResponseMessage created = await SendAsync("POST", "/code/2.01?text=made&location=/a/b?c=d");
        using HttpResponseMessage deleted = await SendAsync("DELETE", "/code/2.02?text=x");
        using HttpResponseMessage silent = await SendAsync("DELETE", "/code/2.02");

        Assert.Equal((HttpStatusCode.Created, "made"), (created.StatusCode, await created.Content.ReadAsStringAsync()));
        Assert.Equal("/a/b?c=d", created.Headers.Location!.OriginalString);
        Assert.Equal((HttpStatusCode.OK, "x"), (deleted.StatusCode, await deleted.Content.ReadAsStringAsync()));
        Assert.Equal(HttpStatusCode.NoContent, silent.StatusCode);
    }

    [Fact]
    [Rfc("8075-6.6-1", "8075-7-3")]
    public async Task A_diagnostic_payload_becomes_the_body_and_not_the_reason_phrase()
    {
        using HttpResponseMessage missing = await SendAsync("GET", "/code/4.04?text=no%0D%0Asuch:%20thing");
        using HttpResponseMessage method = await SendAsync("PUT", "/code/4.05?text=read%20only");
        using HttpResponseMessage silent = await SendAsync("PUT", "/code/4.05");

        Assert.Equal("no\r\nsuch: thing", await missing.Content.ReadAsStringAsync());
        Assert.Equal("text/plain; charset=utf-8", missing.Content.Headers.ContentType!.ToString());
        Assert.Equal("Not Found", missing.ReasonPhrase);
        Assert.Equal((HttpStatusCode.BadRequest, "CoAP server returned 4.05"), (method.StatusCode, method.ReasonPhrase));
        Assert.Equal("read only", await method.Content.ReadAsStringAsync());
        (await silent.Content.ReadAsStringAsync()).Begins("CoAP server returned 4.05");
    }

    [Fact]
    [Rfc("8075-6.2-1", "7252-10.2.2-1")]
    public async Task Content_Formats_become_media_types_with_content_codings()
    {
        using HttpResponseMessage unknown = await SendAsync("GET", "/code/2.05?text=a&format=65000");
        using HttpResponseMessage coded = await SendAsync("GET", "/code/2.05?text=a&format=11050");
        using HttpResponseMessage none = await SendAsync("GET", "/code/2.05?text=a");

        Assert.Equal("application/coap-payload; cf=65000", unknown.Content.Headers.ContentType!.ToString());
        Assert.Equal("application/json", coded.Content.Headers.ContentType!.ToString());
        Assert.Equal(["deflate"], coded.Content.Headers.ContentEncoding);
        Assert.Null(none.Content.Headers.ContentType);
    }

    [Fact]
    [Rfc("8075-6.1-1", "8075-6.2-2")]
    public async Task A_body_without_a_matching_Content_Format_is_answered_415_and_not_sent()
    {
        using HttpResponseMessage html = await SendAsync("PUT", "/seen", new StringContent("<p>", MediaTypeHeaderValue.Parse("text/html")));
        using HttpResponseMessage number =
            await SendAsync("PUT", "/seen", new StringContent("", MediaTypeHeaderValue.Parse("application/coap-payload;cf=65000")));

        Assert.Equal(HttpStatusCode.UnsupportedMediaType, html.StatusCode);
        Assert.Equal(HttpStatusCode.UnsupportedMediaType, number.StatusCode);
        Assert.Empty(Seen);

        Handler.Translator.AllowCoapPayload = true;
        (await SendAsync("PUT", "/seen",
            new StringContent("a", MediaTypeHeaderValue.Parse("application/coap-payload;cf=65000")))).Dispose();
        Assert.Equal(65000, LastOptions().ContentFormat!.Value.Value);
    }

    [Fact]
    [Rfc("7252-10.2.2-3")]
    public async Task Entity_tags_are_translated_into_conditions()
    {
        CoapETag tag = new([0x0a, 0x1b]);
        Server.MapGet("/tagged", request => CoapResults.ValidOr(request, tag, () => CoapResults.Text("body").WithETag(tag)));

        using HttpResponseMessage first = await SendAsync("GET", "/tagged");
        using HttpResponseMessage second =
            await SendAsync("GET", "/tagged", change: request => request.Headers.IfNoneMatch.Add(first.Headers.ETag!));
        using HttpResponseMessage foreign =
            await SendAsync("GET", "/tagged", change: request =>
                request.Headers.TryAddWithoutValidation("If-None-Match", "\"some-other\", *"));

        Assert.Equal("\"0a1b\"", first.Headers.ETag!.Tag);
        Assert.Equal(HttpStatusCode.NotModified, second.StatusCode);
        Assert.Equal("\"0a1b\"", second.Headers.ETag!.Tag);
        Assert.Equal("body", await foreign.Content.ReadAsStringAsync());
    }

    [Theory]
    [Rfc("7252-10.2.2-3")]
    [InlineData("If-Match", "\"0a\", W/\"0b\", \"0c0d\"", 204, "If-Match 0a, If-Match 0c0d")]
    [InlineData("If-Match", "*", 204, "If-Match ")]
    [InlineData("If-Match", "W/\"0a\"", 412, null)]
    [InlineData("If-Match", "\"not ours\"", 412, null)]
    [InlineData("If-None-Match", "*", 204, "If-None-Match ")]
    [InlineData("If-None-Match", "\"0a\"", 501, null)]
    public async Task Conditions_of_unsafe_requests_are_never_omitted(string field, string value, int status, string? options)
    {
        using HttpResponseMessage response = await SendAsync(
            "PUT", "/seen", change: request => Assert.True(request.Headers.TryAddWithoutValidation(field, value)));

        Assert.Equal(status, (int)response.StatusCode);
        if (options is null)
        {
            Assert.Empty(Seen);
            return;
        }

        CoapOptionCollection seen = LastOptions();
        Assert.Equal(options,
            string.Join(", ", seen.IfMatch.Select(tag =>
                $"If-Match {Convert.ToHexStringLower(tag.ToArray())}")
                    .Concat(seen.IfNoneMatch ? ["If-None-Match "] : Array.Empty<string>())));
    }

    [Fact]
    [Rfc("7252-10.2.2-2")]
    public async Task The_next_accepted_media_type_is_requested_when_the_server_does_not_have_the_first()
    {
        List<int?> asked = [];
        Server.MapGet("/picky", request =>
        {
            asked.Add(request.Accept?.Value);
            return request.Accept == CoapContentFormat.Json ? CoapResults.Status(CoapCode.Content, "{}"u8.ToArray(), CoapContentFormat.Json)
                : CoapResults.NotAcceptable();
        }).AllowAnyAccept();

        using HttpResponseMessage response = await SendAsync(
            "GET", "/picky", change: request =>
                request.Headers.TryAddWithoutValidation("Accept", "application/json;q=0.5, application/cbor, */*;q=0.1"));

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal([60, 50], asked);
    }

    [Fact]
    [Rfc("8075-8.3-1")]
    public async Task Bodies_of_any_size_are_transferred_blockwise_in_both_directions()
    {
        byte[] sent = [.. Enumerable.Range(0, 300_000).Select(i => (byte)(i * 7))];
        byte[] kept = [];
        Server.MapPut("/large", request =>
        {
            kept = request.Payload.ToArray();
            return CoapResults.Changed();
        });
        Server.MapGet("/large", () => CoapResults.Bytes(kept, CoapContentFormat.OctetStream));

        using HttpResponseMessage put =
            await SendAsync("PUT", "/large",
                new StreamContent(new Unseekable(sent)) { Headers = { ContentType = new("application/octet-stream") } });
        Assert.Equal(HttpStatusCode.NoContent, put.StatusCode);
        Assert.Equal(sent, kept);

        using HttpResponseMessage get = await SendAsync("GET", "/large");
        Assert.Null(get.Content.Headers.ContentLength);
        Assert.Equal(sent, await get.Content.ReadAsByteArrayAsync());

        Handler.StreamsResponses = false;
        using HttpResponseMessage whole = await SendAsync("GET", "/large");
        Assert.Equal(sent.Length, whole.Content.Headers.ContentLength);
    }

    [Fact]
    public async Task A_body_that_ends_early_throws_an_IOException()
    {
        TaskCompletionSource begun = new(RunContinuationsAsynchronously);
        Server.MapGet("/broken", async (CoapRequestContext request) =>
        {
            if (request.Options.Block2 is null or { Number: 0 })
            {
                return Block();
            }

            await begun.Task.WaitAsync(s_hang);
            return CoapResults.Status(CoapCode.InternalServerError);
        }).WithBodyInBlocks();
        using HttpResponseMessage response = await SendAsync("GET", "/broken");
        begun.SetResult();

        IOException error = await Assert.ThrowsAnyAsync<IOException>(async () =>
            await (await response.Content.ReadAsStreamAsync()).CopyToAsync(Stream.Null));
        Assert.IsAssignableFrom<CoapException>(error.InnerException);

        static CoapResult Block() => CoapResults.Status(CoapCode.Content, new byte[64]).With(new Block2Option(0, more: true, 64));
    }

    [Fact]
    public async Task An_unreachable_server_causes_an_HttpRequestException_with_the_matching_error()
    {
        string address = "coap://127.0.0.1:1";
        HttpRequestException unreachable = await Assert.ThrowsAsync<HttpRequestException>(() => Client.GetAsync(new Uri(address)));
        Assert.Equal(HttpRequestError.ConnectionError, unreachable.HttpRequestError);
        Failure.Is(CoapError.Unreachable, unreachable.InnerException);

        HttpRequestException name =
            await Assert.ThrowsAsync<HttpRequestException>(() => Client.GetAsync(new Uri("coap://nobody.invalid/")));
        Assert.Equal(HttpRequestError.NameResolutionError, name.HttpRequestError);

        HttpRequestException tcp =
            await Assert.ThrowsAsync<HttpRequestException>(() => Client.GetAsync(new Uri("coap+tcp://127.0.0.1:1/")));
        Assert.Equal(HttpRequestError.ConnectionError, tcp.HttpRequestError);
    }

    [Fact]
    public async Task A_cancelled_request_ends_at_once()
    {
        TaskCompletionSource<CancellationToken> asked = new(RunContinuationsAsynchronously);
        Server.MapGet("/slow", async (CoapRequestContext request, CancellationToken cancellationToken) =>
        {
            asked.TrySetResult(cancellationToken);
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);
            return CoapResults.Changed();
        });
        using CancellationTokenSource stop = new();
        await Server.StartAsync();

        Task<HttpResponseMessage> pending = Client.GetAsync(new Uri(Address + "/slow"), stop.Token);
        await asked.Task.WaitAsync(s_hang);
        await stop.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => pending.WaitAsync(s_hang));
    }

    [Fact]
    public async Task The_timeout_of_a_request_ends_an_unanswered_request()
    {
        Handler.Timeout = FromMilliseconds(50);
        Server.MapGet("/slow", async (CoapRequestContext request, CancellationToken cancellationToken) =>
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);
            return CoapResults.Changed();
        });

        HttpRequestException error = await Assert.ThrowsAsync<HttpRequestException>(() => SendAsync("GET", "/slow"));
        Assert.IsType<CoapTimeoutException>(error.InnerException);
    }

    [Fact]
    public async Task An_HTTP_scheme_can_be_mapped_to_a_CoAP_scheme()
    {
        await Server.StartAsync();
        Uri uri = new("http" + Address["coap".Length..] + "/text");
        NotSupportedException error = await Assert.ThrowsAsync<NotSupportedException>(() => Client.GetAsync(uri));
        error.Mentions("Schemes");

        Handler.Schemes["http"] = "coap";
        Assert.Equal("hello", await Client.GetStringAsync(uri));
    }

    [Fact]
    public async Task CoAP_features_without_an_HTTP_header_are_set_by_request_options()
    {
        (await SendAsync("GET", "/seen", change: request =>
        {
            request.Options.Set(CoapHttpRequestOptions.Confirmable, false);
            request.Options.Set(CoapHttpRequestOptions.HopLimit, 9);
        })).Dispose();

        Assert.True(Seen.TryDequeue(out CoapRequestContext? seen));
        Assert.False(seen.Confirmable);
        Assert.Equal(9, seen.Options.HopLimit);
    }

    [Fact]
    public async Task A_cache_answers_only_the_requests_that_it_may_answer()
    {
        using HttpResponseMessage response =
            await SendAsync("GET", "/text", change: request => request.Headers.CacheControl = new() { OnlyIfCached = true });
        Assert.Equal(HttpStatusCode.GatewayTimeout, response.StatusCode);

        await using CoapClient caching = new(new CoapEndpointOptions { Cache = new CoapCache() });
        using HttpClient client = new(new CoapHttpMessageHandler(caching) { StreamsResponses = false });
        Assert.Equal("hello", await client.GetStringAsync(new Uri(Address + "/text")));
        client.DefaultRequestHeaders.CacheControl = new() { OnlyIfCached = true };
        using HttpResponseMessage cached = await client.GetAsync(new Uri(Address + "/text"));
        Assert.True(cached.GetCoapResponse()!.FromCache);
    }

    [Fact]
    public async Task The_HTTP_client_factory_creates_clients_with_outer_handlers()
    {
        await Server.StartAsync();
        int passed = 0;
        ServiceCollection services = new();
        services.AddSingleton(Coap);
        services.AddHttpClient("device", client => client.BaseAddress = new Uri(Address))
            .ConfigurePrimaryHttpMessageHandler(provider => new CoapHttpMessageHandler(provider.GetRequiredService<CoapClient>()))
            .AddHttpMessageHandler(() => new Counting(() => passed++));
        await using ServiceProvider provider = services.BuildServiceProvider();

        HttpClient client = provider.GetRequiredService<IHttpClientFactory>().CreateClient("device");
        using HttpResponseMessage response = await client.PutAsJsonAsync(new Uri("/seen", UriKind.Relative), new { on = true });

        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
        Assert.Equal(CoapContentFormat.Json, LastOptions().ContentFormat);
        Assert.Equal(1, passed);
    }

    private sealed class Counting(Action passed) : DelegatingHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            passed();
            return base.SendAsync(request, cancellationToken);
        }
    }

    private sealed class Unseekable(byte[] bytes) : MemoryStream(bytes, writable: false)
    {
        public override bool CanSeek => false;
    }
}
