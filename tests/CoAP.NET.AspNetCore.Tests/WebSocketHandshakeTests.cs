namespace CoAP.NET.AspNetCore.Tests;

/// <summary>RFC 8323 section 4.1: how WebSockets are opened, and what is refused.</summary>
public sealed class WebSocketHandshakeTests : WebTest
{
    private const string OurCsm = "00e123100000202140";

    [Fact]
    [Rfc("8323-4.1-1", "8323-4.3-1")]
    public async Task The_WebSocket_handshake_equals_Figure_9_of_RFC_8323()
    {
        await StartAsync();
        using System.Net.Sockets.TcpClient client = new();
        await client.ConnectAsync(System.Net.IPAddress.Loopback, Port).WaitAsync(Hang);
        System.Net.Sockets.NetworkStream stream = client.GetStream();
        await stream.WriteAsync(Encoding.ASCII.GetBytes(
            "GET /.well-known/coap HTTP/1.1\r\nHost: example.org\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: coap\r\nSec-WebSocket-Version: 13\r\n\r\n"));
        List<byte> got = [];
        byte[] one = new byte[1];
        while (!Encoding.ASCII.GetString([.. got]).EndsWith("\r\n\r\n", Ordinal))
        {
            await stream.ReadExactlyAsync(one).AsTask().WaitAsync(Hang);
            got.Add(one[0]);
        }

        string head = Encoding.ASCII.GetString([.. got]);
        head.Begins("HTTP/1.1 101 ");
        Assert.Contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n", head, StringComparison.OrdinalIgnoreCase);
        Assert.Contains("Sec-WebSocket-Protocol: coap\r\n", head, StringComparison.OrdinalIgnoreCase);
        byte[] csm = new byte[11];
        await stream.ReadExactlyAsync(csm).AsTask().WaitAsync(Hang);
        Assert.Equal("8209" + OurCsm, Wire.Hex(csm));
    }

    [Theory]
    [InlineData(null)]
    [InlineData("mqtt")]
    [InlineData("COAP")]
    [Rfc("8323-4.1-1")]
    public async Task A_handshake_without_the_coap_sub_protocol_is_refused(string? subProtocol)
    {
        await StartAsync();
        InvalidOperationException exception =
            await Assert.ThrowsAsync<InvalidOperationException>(() => OpenAsync(subProtocol: subProtocol));
        Assert.Equal("400", exception.Message);
    }

    [Fact]
    public async Task The_coap_sub_protocol_is_selected_among_others()
    {
        await StartAsync();
        using ClientWebSocket webSocket = await OpenAsync(configure: options => options.AddSubProtocol("mqtt"));
        Assert.Equal("coap", webSocket.SubProtocol);
        Assert.Equal(OurCsm, await ReceiveAsync(webSocket));
    }

    [Fact]
    public async Task A_request_that_is_not_a_WebSocket_handshake_is_answered_426()
    {
        await StartAsync();
        string answer = await SayAsync("GET /.well-known/coap HTTP/1.1\nHost: a\nConnection: close\n\n");
        answer.Begins("HTTP/1.1 426 ");
        Assert.Contains("Upgrade: websocket", answer, StringComparison.OrdinalIgnoreCase);
    }

    [Fact]
    public async Task A_mapped_path_is_served_instead_of_the_default_path()
    {
        await StartAsync(application => application.MapCoapWebSocket(Coap, "/devices/{name}"));
        using ClientWebSocket webSocket = await OpenAsync("/devices/7");
        Assert.Equal(OurCsm, await ReceiveAsync(webSocket));
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => OpenAsync());
        Assert.Equal("404", exception.Message);
    }

    [Theory]
    [InlineData("https://evil.example", false)]
    [InlineData("https://app.example", true)]
    [InlineData("null", false)]
    public async Task Pages_of_other_origins_require_permission(string origin, bool may)
    {
        await StartAsync(application =>
            application.MapCoapWebSocket(Coap, configure: options => options.AllowedOrigins.Add("https://app.example")));
        await AssertOriginAsync(origin, may);
    }

    [Fact]
    public async Task Pages_of_the_same_origin_are_allowed()
    {
        await StartAsync();
        await AssertOriginAsync($"http://127.0.0.1:{Port}", may: true);
        await AssertOriginAsync($"http://127.0.0.1:{Port + 1}", may: false);
    }

    [Fact]
    public async Task A_page_of_the_same_origin_under_a_rebound_host_name_requires_permission()
    {
        await StartAsync(application =>
            application.MapCoapWebSocket(Coap, configure: options => options.AllowedHosts.Add("app.example")));

        foreach ((string host, bool may) in new[] { ("evil.test", false), ("app.example", true) })
        {
            Task<ClientWebSocket> opening = OpenAsync(configure: options =>
            {
                options.SetRequestHeader("Host", $"{host}:{Port}");
                options.SetRequestHeader("Origin", $"http://{host}:{Port}");
            });
            if (may)
            {
                (await opening).Dispose();
            }
            else
            {
                Assert.Equal("403", (await Assert.ThrowsAsync<InvalidOperationException>(() => opening)).Message);
            }
        }
    }

    [Fact]
    public async Task The_application_may_decide_about_origins()
    {
        await StartAsync(application => application.MapCoapWebSocket(
            Coap, configure: options => options.IsOriginAllowed = (_, origin) =>
                origin.EndsWith(".example", Ordinal)));
        await AssertOriginAsync("https://any.example", may: true);
        await AssertOriginAsync("https://any.test", may: false);
    }

    [Fact]
    public async Task A_mapping_without_a_CoAP_server_is_answered_500()
    {
        await StartAsync(application => application.MapCoapWebSocket());
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => OpenAsync());
        Assert.Equal("500", exception.Message);
    }

    [Fact]
    public async Task A_stopped_server_answers_the_handshake_with_503()
    {
        await StartAsync();
        await Coap.StopAsync();
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => OpenAsync());
        Assert.Equal("503", exception.Message);
    }

    private async Task AssertOriginAsync(string origin, bool may)
    {
        Task<ClientWebSocket> opening = OpenAsync(configure: options => options.SetRequestHeader("Origin", origin));
        if (may)
        {
            (await opening).Dispose();
        }
        else
        {
            Assert.Equal("403", (await Assert.ThrowsAsync<InvalidOperationException>(() => opening)).Message);
        }
    }
}
