using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;
using CoAP.NET.Transports.WebSockets;

namespace CoAP.NET.Tests.Transports.WebSockets;

/// <summary>RFC 8323 section 4, at a client: how it opens WebSockets and what it does on them.</summary>
public sealed class WebSocketClientTests : IAsyncDisposable
{
    private const string OurCsm = "00e123100000202140";

    private static readonly TimeSpan s_hang = FromMinutes(2);

    private readonly WebServer _server = new();
    private readonly CoapEndpointOptions _options = new()
    {
        Transports = { ResolveHost = static (_, _) => Task.FromResult<IPAddress[]>([IPAddress.Loopback]) }
    };
    private CoapClient? _client;

    private CoapClient Client => _client ??= new CoapClient(_options);

    private string Uri => $"coap+ws://127.0.0.1:{_server.Port}";

    public async ValueTask DisposeAsync()
    {
        if (_client is not null)
        {
            await _client.DisposeAsync();
        }

        _server.Dispose();
    }

    [Fact]
    [Rfc("8323-4.1-1")]
    public async Task The_handshake_asks_for_the_well_known_path_and_the_sub_protocol_coap()
    {
        Task<CoapResponse> asked = Client.GetAsync($"coap+ws://example.net:{_server.Port}/a?b");
        (Stream stream, string head) = await _server.AcceptAsync();
        head.Begins("GET /.well-known/coap HTTP/1.1\r\n");
        Assert.Equal("coap", WebServer.FieldOf(head, "Sec-WebSocket-Protocol"));
        Assert.Equal("13", WebServer.FieldOf(head, "Sec-WebSocket-Version"));
        Assert.Equal($"example.net:{_server.Port}", WebServer.FieldOf(head, "Host"));
        Assert.Null(WebServer.FieldOf(head, "Sec-WebSocket-Extensions"));
        await WebServer.UpgradeAsync(head, stream);
        using WebSocket peer = WebSocket.CreateFromStream(stream,
            new WebSocketCreationOptions { IsServer = true, KeepAliveInterval = TimeSpan.Zero });
        Assert.Equal(OurCsm, await ReceiveAsync(peer));

        // The name was told by the Host header, so that it stands in no Uri-Host (section 8.5).
        string request = await ReceiveAsync(peer);
        request.Ends("b1614162");
        await AnswerAsync(peer, request, "c");
        await asked.WaitAsync(s_hang).Says("c");
    }

    [Theory]
    [InlineData(null)]
    [InlineData("mqtt")]
    [Rfc("8323-4.1-1")]
    public async Task A_server_that_does_not_select_the_sub_protocol_is_refused(string? selected)
    {
        Task<CoapResponse> asked = Client.GetAsync($"{Uri}/a");
        (Stream stream, string head) = await _server.AcceptAsync();
        await WebServer.UpgradeAsync(head, stream, selected);
        CoapConnectionException exception = await Assert.ThrowsAsync<CoapConnectionException>(() => asked.WaitAsync(s_hang));
        Assert.Equal(CoapError.ConnectFailed, exception.Error);
        exception.Mentions("sub-protocol coap");
        await stream.DisposeAsync();
    }

    [Fact]
    public async Task The_configured_path_and_headers_are_sent_in_the_handshake()
    {
        _options.Transports.WebSockets.Path = "/gateway?x=1";
        _options.Transports.WebSockets.Headers["Origin"] = "https://app.example";
        _options.Transports.WebSockets.Configure = static options => options.SetRequestHeader("X-Extra", "1");
        Task<CoapResponse> asked = Client.GetAsync($"{Uri}/a");
        (Stream stream, string head) = await _server.AcceptAsync();
        head.Begins("GET /gateway?x=1 HTTP/1.1\r\n");
        Assert.Equal("https://app.example", WebServer.FieldOf(head, "Origin"));
        Assert.Equal("1", WebServer.FieldOf(head, "X-Extra"));
        await stream.WriteAsync("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"u8.ToArray());
        CoapConnectionException exception = await Assert.ThrowsAsync<CoapConnectionException>(() => asked.WaitAsync(s_hang));
        exception.Mentions("CoapWebSocketOptions.Path");
        await stream.DisposeAsync();
    }

    [Fact]
    public async Task Header_fields_of_a_transport_are_sent_and_refuse_changes()
    {
        CoapWebSocketTransportOptions own = new();
        own.WebSockets.Headers["Origin"] = "https://app.example";
        Client.Endpoint.AddTransport(new CoapWebSocketTransport(own));
        Assert.Throws<InvalidOperationException>(() => own.WebSockets.Headers["origin"] = "https://other.example");

        Task<CoapResponse> asked = Client.GetAsync($"{Uri}/a");
        (Stream stream, string head) = await _server.AcceptAsync();

        Assert.Equal("https://app.example", WebServer.FieldOf(head, "Origin"));

        // The client opens another connection, which nobody would answer.
        _server.Dispose();
        await stream.DisposeAsync();
        await Assert.ThrowsAsync<CoapConnectionException>(() => asked.WaitAsync(s_hang));
    }

    [Fact]
    public async Task A_configured_proxy_gets_a_CONNECT_request()
    {
        _options.Transports.WebSockets.Proxy = new WebProxy($"http://127.0.0.1:{_server.Port}");
        Task<CoapResponse> asked = Client.GetAsync("coaps+ws://device.example/a");
        (Stream stream, string head) = await _server.AcceptAsync();
        head.Begins("CONNECT device.example:443 HTTP/1.1\r\n");
        await stream.WriteAsync("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"u8.ToArray());
        CoapConnectionException exception = await Assert.ThrowsAsync<CoapConnectionException>(() => asked.WaitAsync(s_hang));
        exception.Mentions("403");
        await stream.DisposeAsync();
    }

    [Fact]
    public async Task The_error_of_a_connection_to_a_port_without_a_listener_names_the_cause()
    {
        using Socket unused = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        unused.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        string uri = $"coap+ws://{unused.LocalEndPoint}/a";
        CoapConnectionException exception = await Assert.ThrowsAsync<CoapConnectionException>(() => Client.GetAsync(uri).WaitAsync(s_hang));
        Assert.Equal(CoapError.ConnectFailed, exception.Error);
        exception.Mentions("No server listens there");
        Assert.Equal(1, Client.Endpoint.Counters[CoapCounter.ConnectionsFailed]);
    }

    [Fact]
    public async Task A_server_that_never_answers_the_handshake_fails_with_HandshakeTimeout()
    {
        VirtualClock clock = new();
        _options.TimeProvider = clock;
        Task<CoapResponse> asked = Client.GetAsync($"{Uri}/a");
        (Stream stream, _) = await _server.AcceptAsync();
        clock.Advance(_options.Transports.Streams.ConnectTimeout + _options.Transports.Streams.HandshakeTimeout);
        CoapConnectionException exception = await Assert.ThrowsAsync<CoapConnectionException>(() => asked.WaitAsync(s_hang));
        exception.Mentions("HandshakeTimeout");
        await stream.DisposeAsync();
    }

    [Fact]
    [Rfc("8323-4.3-2")]
    public async Task Requests_to_one_host_share_a_WebSocket_and_are_answered_in_any_order()
    {
        Task<CoapResponse> first = Client.GetAsync($"{Uri}/1");
        using WebSocket peer = await _server.OpenAsync();
        Assert.Equal(OurCsm, await ReceiveAsync(peer));
        string one = await ReceiveAsync(peer);
        Task<CoapResponse> second = Client.GetAsync($"{Uri}/2");
        string two = await ReceiveAsync(peer);
        await AnswerAsync(peer, two, "b");
        await AnswerAsync(peer, one, "a");
        await second.WaitAsync(s_hang).Says("b");
        await first.WaitAsync(s_hang).Says("a");
        Assert.Equal(1, Client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
    }

    [Fact]
    public async Task A_request_is_repeated_after_its_WebSocket_was_lost()
    {
        _options.Transports.Streams.ReconnectDelay = FromMilliseconds(1);
        Task<CoapResponse> asked = Client.GetAsync($"{Uri}/1");
        WebSocket lost = await _server.OpenAsync();
        Assert.Equal(OurCsm, await ReceiveAsync(lost));
        await ReceiveAsync(lost);
        await SendAsync(lost, "00e1");
        lost.Abort();
        lost.Dispose();
        using WebSocket peer = await _server.OpenAsync();
        Assert.Equal(OurCsm, await ReceiveAsync(peer));
        await AnswerAsync(peer, await ReceiveAsync(peer), "a");
        await asked.WaitAsync(s_hang).Says("a");
        Assert.Equal(1, Client.Endpoint.Counters[CoapCounter.RequestsRepeated]);
    }

    [Fact]
    [Rfc("8323-4.4-1")]
    public async Task The_client_keeps_an_idle_connection_alive_with_CoAP_Ping()
    {
        VirtualClock clock = new();
        _options.TimeProvider = clock;
        Task<CoapResponse> asked = Client.GetAsync($"{Uri}/a");
        (Stream stream, string head) = await _server.AcceptAsync();
        await WebServer.UpgradeAsync(head, stream);
        Assert.Equal(OurCsm, await ReadFrameAsync(stream));
        await stream.WriteAsync(Wire.Hex("820200e1"));
        await AnswerNextAsync(stream, asked);
        for (int pong = 1; pong <= 2; pong++)
        {
            clock.Advance(_options.Transports.Streams.KeepAliveInterval + FromSeconds(1));
            Assert.Equal("00e2", await ReadFrameAsync(stream));
            await stream.WriteAsync(Wire.Hex("820200e3"));

            // The client handles messages in order: after this answer it has handled the Pong.
            await AnswerNextAsync(stream, Client.GetAsync($"{Uri}/a"));
        }

        await stream.DisposeAsync();

        async Task AnswerNextAsync(Stream stream, Task<CoapResponse> asked)
        {
            CoapMessage request = CoapWebSocketSerializer.Default.Deserialize(Wire.Hex(await ReadFrameAsync(stream)));
            string answer = Wire.Hex(
                CoapWebSocketSerializer.Default.Serialize(new CoapMessage(CoapCode.Content) { Token = request.Token }));
            await stream.WriteAsync(Wire.Hex($"82{answer.Length / 2:x2}" + answer));
            await asked.WaitAsync(s_hang);

            // While bytes wait, no Ping is sent.
            await Eventually.IsTrueAsync(
                () => Assert.Single(Client.Endpoint.Connections.All()).Connection!.Progress.BytesWaiting == 0);
        }
    }

    [Fact]
    [Rfc("8323-8-1")]
    public async Task Multicast_addresses_and_Listen_are_refused_for_WebSockets()
    {
        await Assert.ThrowsAnyAsync<CoapException>(() => Client.GetAsync("coap+ws://224.0.1.187/a").WaitAsync(s_hang));
        await using CoapEndpoint endpoint = new();
        ArgumentException exception = Assert.Throws<ArgumentException>(() => endpoint.Listen("coap+ws://[::]:80"));
        exception.Mentions("MapCoapWebSocket");
    }

    [Fact]
    [Rfc("8323-6-1")]
    public async Task A_body_is_sent_by_BERT_to_a_peer_that_supports_BERT()
    {
        byte[] body = [.. Enumerable.Range(0, 10_000).Select(static i => (byte)i)];
        Task<CoapResponse> asked = Client.PostAsync($"{Uri}/a", CoapContent.Binary(body));
        using WebSocket peer = await _server.OpenAsync();
        Assert.Equal(OurCsm, await ReceiveAsync(peer));

        // CSM with Max-Message-Size 6000 and Block-Wise-Transfer.
        await SendAsync(peer, "00e122177020");
        List<byte> got = [];
        while (true)
        {
            string hex = await ReceiveAsync(peer);
            Assert.Equal('0', hex[0]);
            CoapMessage request = CoapWebSocketSerializer.Default.Deserialize(Wire.Hex(hex));
            Assert.True(request.Options.TryGetValue(CoAP.NET.OptionNumber.Block1, out ReadOnlySpan<byte> value));
            byte[] block1 = value.ToArray();
            Assert.Equal(7, block1[^1] & 7);
            got.AddRange(request.Payload.ToArray());
            bool more = (block1[^1] & 8) != 0;
            CoapMessage response = new(more ? CoapCode.Continue : CoapCode.Changed) { Token = request.Token };
            response.Options.Add(CoAP.NET.OptionNumber.Block1, block1);
            await SendAsync(peer, Wire.Hex(CoapWebSocketSerializer.Default.Serialize(response)));
            if (!more)
            {
                break;
            }
        }

        await asked.WaitAsync(s_hang).Gives(CoapCode.Changed);
        Assert.Equal(body, got);
    }

    private static Task SendAsync(WebSocket peer, string hex) =>
        peer.SendAsync(Wire.Hex(hex), WebSocketMessageType.Binary, true, CancellationToken.None).WaitAsync(s_hang);

    private static async Task AnswerAsync(WebSocket peer, string request, string text)
    {
        // A CSM may come again, and then changes nothing (RFC 8323 section 5.3).
        await SendAsync(peer, "00e1");
        CoapMessage asked = CoapWebSocketSerializer.Default.Deserialize(Wire.Hex(request));

        await SendAsync(peer,
            Wire.Hex(CoapWebSocketSerializer.Default.Serialize(
                new CoapMessage(CoapCode.Content) { Token = asked.Token, Payload = Encoding.UTF8.GetBytes(text) })));
    }

    private static async Task<string> ReceiveAsync(WebSocket peer)
    {
        byte[] buffer = new byte[64 * 1024];
        int length = 0;
        while (true)
        {
            WebSocketReceiveResult result = await peer.ReceiveAsync(new ArraySegment<byte>(buffer, length, buffer.Length - length),
                CancellationToken.None).WaitAsync(s_hang);
            Assert.Equal(WebSocketMessageType.Binary, result.MessageType);
            length += result.Count;
            if (result.EndOfMessage)
            {
                return Wire.Hex(buffer.AsSpan(0, length));
            }
        }
    }

    // A short frame of a client as it stands on the line: binary, whole and masked.
    private static async Task<string> ReadFrameAsync(Stream stream)
    {
        byte[] head = new byte[6];
        await stream.ReadExactlyAsync(head).AsTask().WaitAsync(s_hang);
        Assert.Equal(0x82, head[0]);
        Assert.Equal(0x80, head[1] & 0x80);
        byte[] data = new byte[head[1] & 0x7f];
        await stream.ReadExactlyAsync(data).AsTask().WaitAsync(s_hang);
        for (int i = 0; i < data.Length; i++)
        {
            data[i] ^= head[2 + (i % 4)];
        }

        return Wire.Hex(data);
    }
}
