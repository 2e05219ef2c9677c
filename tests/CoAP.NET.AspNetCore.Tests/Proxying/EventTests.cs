using Microsoft.AspNetCore.HttpOverrides;

namespace CoAP.NET.AspNetCore.Tests.Proxying;

/// <summary>Observe for HTTP clients, by server-sent events and WebSockets.</summary>
public sealed class EventTests : ProxyTest
{
    private byte[] _state = "on\nand bright"u8.ToArray();
    private CoapContentFormat _format = CoapContentFormat.TextPlain;

    [Fact]
    public async Task Notifications_are_sent_as_server_sent_events()
    {
        CoapRouteHandlerBuilder lamp = Coap.MapGet("/lamp", () => CoapResults.Bytes(_state, _format)).Observable();
        await StartProxyAsync();
        using HttpResponseMessage response = await SendAsync(
            "GET", $"/hc/{Origin}/lamp", change: request => request.Headers.Accept.Add(new("text/event-stream")));
        Assert.Equal("text/event-stream", response.Content.Headers.ContentType!.ToString());
        using StreamReader events = new(await response.Content.ReadAsStreamAsync());

        Assert.Equal("event: notification|id: 1|data: on|data: and bright", await NextAsync(events));
        _state = "off"u8.ToArray();
        lamp.Notify();
        Assert.Equal("event: notification|id: 2|data: off", await NextAsync(events));
        lamp.Unmap();
        (await NextAsync(events)).Begins("event: error|id: 3|data: ");
    }

    [Fact]
    public async Task A_notification_that_is_not_text_is_a_base64_event_or_a_binary_message()
    {
        (_state, _format) = ([1, 2, 3], CoapContentFormat.OctetStream);
        Coap.MapGet("/lamp", () => CoapResults.Bytes(_state, _format)).Observable();
        await StartProxyAsync();
        using HttpResponseMessage response = await SendAsync(
            "GET", $"/hc/{Origin}/lamp", change: request => request.Headers.Accept.Add(new("text/event-stream")));
        using StreamReader events = new(await response.Content.ReadAsStreamAsync());
        Assert.Equal("event: binary|id: 1|data: AQID", await NextAsync(events));
        using ClientWebSocket socket = await OpenAsync($"/hc/{Origin}/lamp", subProtocol: null);
        Assert.Equal((WebSocketMessageType.Binary, "\u0001\u0002\u0003"), await MessageAsync(socket));
    }

    [Fact]
    public async Task CBOR_notifications_are_converted_to_JSON_when_GET_responses_are()
    {
        (_state, _format) = ([0xa1, 0x61, 0x74, 0x01], CoapContentFormat.Cbor);
        Coap.MapGet("/lamp", () => CoapResults.Bytes(_state, _format)).Observable().AllowAnyAccept();
        await StartProxyAsync(proxy => proxy.Translator.ConvertsJson = true);
        using HttpResponseMessage response = await SendAsync(
            "GET", $"/hc/{Origin}/lamp", change: request => request.Headers.Accept.Add(new("text/event-stream")));
        using StreamReader events = new(await response.Content.ReadAsStreamAsync());
        Assert.Equal("event: notification|id: 1|data: {\"t\":1}", await NextAsync(events));

        using ClientWebSocket socket = await OpenAsync($"/hc/{Origin}/lamp", subProtocol: null);
        Assert.Equal((WebSocketMessageType.Text, "{\"t\":1}"), await MessageAsync(socket));

        // Who reads CBOR gets it, as by a plain GET.
        using HttpResponseMessage cbor = await SendAsync("GET", $"/hc/{Origin}/lamp", change: request =>
        {
            request.Headers.Accept.Add(new("text/event-stream"));
            request.Headers.Accept.Add(new("application/cbor"));
        });
        using StreamReader binary = new(await cbor.Content.ReadAsStreamAsync());
        Assert.Equal("event: binary|id: 1|data: oWF0AQ==", await NextAsync(binary));
    }

    [Fact]
    public async Task Malformed_CBOR_is_passed_on_unchanged()
    {
        (_state, _format) = ([0xff], CoapContentFormat.Cbor);
        Coap.MapGet("/lamp", () => CoapResults.Bytes(_state, _format)).Observable();
        await StartProxyAsync(proxy => proxy.Translator.ConvertsJson = true);
        using HttpResponseMessage response = await SendAsync(
            "GET", $"/hc/{Origin}/lamp", change: request => request.Headers.Accept.Add(new("text/event-stream")));
        using StreamReader events = new(await response.Content.ReadAsStreamAsync());
        Assert.Equal("event: binary|id: 1|data: /w==", await NextAsync(events));
    }

    [Fact]
    public async Task The_observation_ends_with_its_client()
    {
        CoapRouteHandlerBuilder lamp = Coap.MapGet("/lamp", () => CoapResults.Bytes(_state, _format)).Observable();
        TaskCompletionSource went = new(RunContinuationsAsynchronously);
        lamp.ObserverRemoved += (_, _) => went.TrySetResult();
        await StartProxyAsync();
        HttpResponseMessage response = await SendAsync(
            "GET", $"/hc/{Origin}/lamp", change: request => request.Headers.Accept.Add(new("text/event-stream")));
        Assert.Equal(1, lamp.ObserverCount);
        response.Dispose();
        await went.Task.WaitAsync(Hang);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_client_that_disconnects_causes_no_warning_in_the_log(bool isWebSocket)
    {
        Coap.MapGet("/lamp", () => CoapResults.Bytes(_state, _format)).Observable();
        using RequestLog log = new();
        await StartProxyAsync(services: services => services.AddSingleton<ILoggerProvider>(log));
        if (isWebSocket)
        {
            using ClientWebSocket socket = await OpenAsync($"/hc/{Origin}/lamp", subProtocol: null);
            await MessageAsync(socket);
            socket.Abort();
        }
        else
        {
            using HttpResponseMessage response = await SendAsync(
                "GET", $"/hc/{Origin}/lamp", change: request => request.Headers.Accept.Add(new("text/event-stream")));
            using StreamReader events = new(await response.Content.ReadAsStreamAsync());
            await NextAsync(events);
        }

        await log.Finished.WaitAsync(Hang);
        Assert.Empty(log.Complaints);
    }

    [Fact]
    public async Task An_application_that_stops_ends_open_streams_and_does_not_wait_for_their_clients()
    {
        Coap.MapGet("/lamp", () => CoapResults.Bytes(_state, _format)).Observable();
        await StartProxyAsync();
        using HttpResponseMessage response = await SendAsync(
            "GET", $"/hc/{Origin}/lamp", change: request => request.Headers.Accept.Add(new("text/event-stream")));
        using StreamReader events = new(await response.Content.ReadAsStreamAsync());
        await NextAsync(events);
        using ClientWebSocket socket = await OpenAsync($"/hc/{Origin}/lamp", subProtocol: null);
        await MessageAsync(socket);

        Application!.Lifetime.StopApplication();

        Assert.Equal("", await NextAsync(events));
        WebSocketReceiveResult closed = await socket.ReceiveAsync(new byte[1], CancellationToken.None).WaitAsync(Hang);
        Assert.Equal((WebSocketMessageType.Close, WebSocketCloseStatus.EndpointUnavailable), (closed.MessageType, closed.CloseStatus));
    }

    [Fact]
    public async Task A_resource_that_cannot_be_observed_gives_a_single_event_or_an_error()
    {
        await StartProxyAsync();
        using HttpResponseMessage once = await SendAsync(
            "GET", $"/hc/{Origin}/text", change: request => request.Headers.Accept.Add(new("text/event-stream")));
        using StreamReader events = new(await once.Content.ReadAsStreamAsync());
        Assert.Equal("event: notification|id: 1|data: hello", await NextAsync(events));

        using HttpResponseMessage missing = await SendAsync(
            "GET", $"/hc/{Origin}/nothing", change: request => request.Headers.Accept.Add(new("text/event-stream")));
        Assert.Equal(HttpStatusCode.NotFound, missing.StatusCode);
    }

    [Fact]
    public async Task Notifications_are_sent_as_WebSocket_messages()
    {
        CoapRouteHandlerBuilder lamp = Coap.MapGet("/lamp", () => CoapResults.Bytes(_state, _format)).Observable();
        await StartProxyAsync();
        using ClientWebSocket socket = await OpenAsync($"/hc/{Origin}/lamp", subProtocol: null);

        Assert.Equal((WebSocketMessageType.Text, "on\nand bright"), await MessageAsync(socket));
        _state = "off"u8.ToArray();
        lamp.Notify();
        Assert.Equal((WebSocketMessageType.Text, "off"), await MessageAsync(socket));
        await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None).WaitAsync(Hang);
    }

    [Fact]
    public async Task A_WebSocket_of_another_origin_is_refused()
    {
        await StartProxyAsync();
        InvalidOperationException error = await Assert.ThrowsAsync<InvalidOperationException>(() =>
            OpenAsync($"/hc/{Origin}/text", subProtocol: null, options =>
                options.SetRequestHeader("Origin", "https://elsewhere.example")));
        Assert.Equal("403", error.Message);
    }

    [Theory]
    [InlineData("http", true)]
    [InlineData("HTTP", true)]
    [InlineData("https", false)]
    [InlineData("ws", false)]
    [InlineData("chrome-extension", false)]
    public async Task A_WebSocket_opens_for_pages_of_the_same_scheme_only(string scheme, bool may)
    {
        await StartProxyAsync();
        Task<ClientWebSocket> opening = OpenAsync($"/hc/{Origin}/text", subProtocol: null, options =>
            options.SetRequestHeader("Origin", $"{scheme}://127.0.0.1:{Port}"));
        await MayOpenAsync(opening, may);
    }

    [Theory]
    [InlineData(true, "https", true)]
    [InlineData(true, "http", false)]
    [InlineData(false, "https", false)]
    public async Task The_Origin_of_a_WebSocket_is_compared_with_the_forwarded_scheme_if_the_application_uses_forwarded_headers(
        bool isAccepted, string scheme, bool may)
    {
        await Coap.StartAsync();
        await StartAsync(application =>
        {
            if (isAccepted)
            {
                application.UseForwardedHeaders(new ForwardedHeadersOptions { ForwardedHeaders = ForwardedHeaders.XForwardedProto });
            }

            application.UseWebSockets();
            application.MapCoapResource("/text", Origin + "/text");
        });
        Task<ClientWebSocket> opening = OpenAsync("/text", subProtocol: null, options =>
        {
            options.SetRequestHeader("X-Forwarded-Proto", "https");
            options.SetRequestHeader("Origin", $"{scheme}://127.0.0.1:{Port}");
        });
        await MayOpenAsync(opening, may);
    }

    private static async Task MayOpenAsync(Task<ClientWebSocket> opening, bool may)
    {
        if (may)
        {
            using ClientWebSocket socket = await opening;
            Assert.Equal((WebSocketMessageType.Text, "hello"), await MessageAsync(socket));
        }
        else
        {
            Assert.Equal("403", (await Assert.ThrowsAsync<InvalidOperationException>(() => opening)).Message);
        }
    }

    private static async Task<(WebSocketMessageType Type, string Text)> MessageAsync(WebSocket socket)
    {
        byte[] buffer = new byte[1024];
        WebSocketReceiveResult result = await socket.ReceiveAsync(buffer, CancellationToken.None).WaitAsync(Hang);
        return (result.MessageType, Encoding.UTF8.GetString(buffer, 0, result.Count));
    }

    private static async Task<string> NextAsync(StreamReader events)
    {
        List<string> lines = [];
        while (await events.ReadLineAsync().WaitAsync(Hang) is { } line)
        {
            if (line.Length == 0 && lines.Count > 0)
            {
                break;
            }

            if (line.Length > 0 && !line.StartsWith(':'))
            {
                lines.Add(line);
            }
        }

        return string.Join('|', lines);
    }
}
