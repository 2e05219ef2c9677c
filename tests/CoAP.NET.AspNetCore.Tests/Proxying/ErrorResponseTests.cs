using CoAP.NET.Http.Translating;

namespace CoAP.NET.AspNetCore.Tests.Proxying;

/// <summary>Errors as HTTP clients see them: each kind of request gets the same status, Retry-After and Content-Type.</summary>
/// <remarks>Real clock: sockets. The one timeout waits for a server that never answers.</remarks>
public sealed class ErrorResponseTests : ProxyTest
{
    private const string Text = "text/plain; charset=utf-8";

    private static readonly string[] s_kinds = ["GET", "POST", "events", "WebSocket"];

    public ErrorResponseTests() =>
        Coap.Map("/error/{code}/{kind}", Enum.GetValues<CoapMethod>(), (CoapRequestContext request) =>
        {
            CoapResult result = new(CoapCode.Parse(request.Route["code"]), "why"u8.ToArray());
            return request.TryGetQuery("wait", out string? seconds) ? result.WithMaxAge(FromSeconds(int.Parse(seconds))) : result;
        }).AllowAnyAccept();

    [Theory]
    [Rfc("8075-7-1")]
    [InlineData("4.29", "?wait=7", 429, 7)]
    [InlineData("4.29", "", 429, 60)]
    [InlineData("5.03", "?wait=7", 503, 7)]
    [InlineData("5.03", "", 503, 60)]
    [InlineData("4.04", "", 404, null)]
    [InlineData("5.00", "?wait=7", 500, null)]
    public async Task An_error_of_the_CoAP_server_gives_the_same_HTTP_response_to_GET_POST_event_streams_and_WebSockets(
        string code, string query, int status, int? wait)
    {
        await StartProxyAsync();

        foreach (string kind in s_kinds)
        {
            using HttpResponseMessage response = await AskAsync(kind, $"/hc/{Origin}/error/{code}/{kind}{query}");
            Assert.Equal((kind, status, wait, Text, "why"), await FormOf(kind, response));
        }
    }

    [Fact]
    public async Task An_error_without_a_payload_gives_GET_POST_event_streams_and_WebSockets_an_empty_body()
    {
        await StartProxyAsync();

        foreach (string kind in s_kinds)
        {
            using HttpResponseMessage response = await AskAsync(kind, $"/hc/{Origin}/code/5.03");
            Assert.Equal((kind, 503, 60, null, ""), await FormOf(kind, response));
        }
    }

    [Fact]
    public async Task Problem_details_are_converted_to_JSON_for_GET_POST_event_streams_and_WebSockets()
    {
        Coap.Map("/problem", Enum.GetValues<CoapMethod>(), (CoapRequestContext _) =>
            new CoapResult(CoapCode.Conflict, Convert.FromHexString("a120626e6f"), CoapContentFormat.ConciseProblemDetails))
            .AllowAnyAccept();
        await StartProxyAsync(proxy => proxy.Translator.ConvertsJson = true);

        foreach (string kind in s_kinds)
        {
            using HttpResponseMessage response = await AskAsync(kind, $"/hc/{Origin}/problem");
            Assert.Equal(
                (kind, 409, (int?)null, "application/problem+json", "{\"title\":\"no\",\"status\":409}"),
                await FormOf(kind, response));
        }
    }

    [Fact]
    [Rfc("8075-8.5-1")]
    public async Task A_CoAP_server_that_does_not_answer_gives_504_to_GET_POST_event_streams_and_WebSockets()
    {
        using Socket mute = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        mute.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        await StartProxyAsync(proxy => proxy.Timeout = FromMilliseconds(200));

        foreach (string kind in s_kinds)
        {
            using HttpResponseMessage response = await AskAsync(kind, $"/hc/coap://{mute.LocalEndPoint}/{kind}");
            (string, int Status, int? Wait, string? Type, string) form = await FormOf(kind, response);
            Assert.Equal((504, (int?)null, Text), (form.Status, form.Wait, form.Type));
        }
    }

    [Fact]
    public async Task An_unreachable_CoAP_server_gives_502_to_GET_POST_event_streams_and_WebSockets()
    {
        await StartProxyAsync();

        foreach (string kind in s_kinds)
        {
            using HttpResponseMessage response = await AskAsync(kind, "/hc/coap://127.0.0.1:1/");
            (string, int Status, int? Wait, string? Type, string) form = await FormOf(kind, response);
            Assert.Equal((502, (int?)null, Text), (form.Status, form.Wait, form.Type));
        }
    }

    [Fact]
    public async Task Requests_beyond_MaxRequestsPerSource_get_503_as_GET_POST_event_stream_and_WebSocket()
    {
        TaskCompletionSource begun = new(RunContinuationsAsynchronously);
        Coap.MapGet("/never", async (CoapRequestContext _, CancellationToken cancellationToken) =>
        {
            begun.TrySetResult();
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);
            return CoapResults.Changed();
        });
        await StartProxyAsync(proxy => proxy.MaxRequestsPerSource = 1);
        using CancellationTokenSource gone = new();
        Task<HttpResponseMessage> first = Http.GetAsync(new Uri($"/hc/{Origin}/never", UriKind.Relative), gone.Token);
        await begun.Task.WaitAsync(Hang);

        foreach (string kind in s_kinds)
        {
            using HttpResponseMessage response = await AskAsync(kind, $"/hc/{Origin}/text");
            Assert.Equal((kind, 503, 1, Text, "Too many requests are pending. Retry later."), await FormOf(kind, response));
        }

        await gone.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
    }

    [Theory]
    [InlineData(CoapError.RetryLater, 6.5, 429, 7)]
    [InlineData(CoapError.Released, 6.5, 503, 7)]
    [InlineData(CoapError.Busy, null, 503, 1)]
    [InlineData(CoapError.TooLarge, null, 413, null)]
    [InlineData(CoapError.Reset, null, 502, null)]
    public async Task The_HTTP_response_for_a_CoapException_has_Retry_After_if_the_request_may_be_repeated_later(
        CoapError error, double? wait, int status, int? retryAfter)
    {
        CoapException failure = new(error, "why") { RetryAfter = wait is { } seconds ? FromSeconds(seconds) : null };

        using HttpResponseMessage response = HttpErrorResponse.Of(failure, failure.Message);

        Assert.Equal(("", status, retryAfter, Text, "why"), await FormOf("", response));
    }

    [Fact]
    public async Task A_WebSocket_whose_server_asks_to_wait_is_closed_with_1013_and_the_time()
    {
        int asked = 0;
        CoapRouteHandlerBuilder lamp = Coap.MapGet("/lamp", () => asked++ == 0
            ? CoapResults.Text("on")
            : new CoapResult(CoapCode.ServiceUnavailable, Encoding.UTF8.GetBytes(new string('\u6c34', 100))).WithMaxAge(FromSeconds(7)))
            .Observable();
        await StartProxyAsync();
        (int code, string? reason) = await CloseOfAsync(lamp);

        Assert.Equal(1013, code);
        reason!.Begins("Retry after 7 s. The peer answered 5.03");
        Assert.EndsWith("\u6c34", reason!, Ordinal);
        Assert.InRange(Encoding.UTF8.GetByteCount(reason!), 118, 123);
    }

    [Fact]
    public async Task A_WebSocket_whose_server_answers_another_error_is_closed_with_1011()
    {
        int asked = 0;
        CoapRouteHandlerBuilder lamp = Coap.MapGet("/lamp", () => asked++ == 0
            ? CoapResults.Text("on")
            : new CoapResult(CoapCode.Forbidden, "why"u8.ToArray())).Observable();
        await StartProxyAsync();
        (int code, string? reason) = await CloseOfAsync(lamp);

        Assert.Equal((1011, "The peer answered 4.03 Forbidden: why"), (code, reason));
    }

    private async Task<(int Code, string? Reason)> CloseOfAsync(CoapRouteHandlerBuilder lamp)
    {
        using ClientWebSocket socket = await OpenAsync($"/hc/{Origin}/lamp", subProtocol: null);
        byte[] buffer = new byte[1024];
        Assert.Equal(2, (await socket.ReceiveAsync(buffer, CancellationToken.None).WaitAsync(Hang)).Count);
        lamp.Notify();
        WebSocketReceiveResult closed = await socket.ReceiveAsync(buffer, CancellationToken.None).WaitAsync(Hang);
        Assert.Equal(WebSocketMessageType.Close, closed.MessageType);
        return ((int)closed.CloseStatus!, closed.CloseStatusDescription);
    }

    private Task<HttpResponseMessage> AskAsync(string kind, string uri) =>
        SendAsync(kind == "POST" ? "POST" : "GET", uri, change: request => Prepare(kind, request));

    private static void Prepare(string kind, HttpRequestMessage request)
    {
        if (kind == "events")
        {
            request.Headers.Accept.Add(new("text/event-stream"));
        }
        else if (kind == "WebSocket")
        {
            request.Headers.Connection.Add("Upgrade");
            request.Headers.Upgrade.Add(new("websocket"));
            request.Headers.Add("Sec-WebSocket-Version", "13");
            request.Headers.Add("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==");
        }
    }

    private static async Task<(string Kind, int Status, int? Wait, string? Type, string Body)> FormOf(
        string kind, HttpResponseMessage response) =>
        (kind, (int)response.StatusCode, (int?)response.Headers.RetryAfter?.Delta?.TotalSeconds,
            response.Content.Headers.ContentType?.ToString(), await response.Content.ReadAsStringAsync().WaitAsync(Hang));
}
