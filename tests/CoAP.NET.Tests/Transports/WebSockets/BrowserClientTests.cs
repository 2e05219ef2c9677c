using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Engines;

namespace CoAP.NET.Tests.Transports.WebSockets;

/// <summary>
/// A client that works as in a page of a browser, on the usual runtime. Its scheduler never has a thread, so it needs none of the library.
/// </summary>
public sealed class BrowserClientTests : IAsyncDisposable
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    private readonly WebSocketTestEngine _engine = new();
    private readonly CoapEndpointOptions _options;
    private readonly CoapServer _server;
    private CoapClient? _client;

    public BrowserClientTests()
    {
        _options = new CoapEndpointOptions
        {
            IsInBrowser = true,
            Pipeline = { Scheduler = new NoThreads() },
            Transports = { ResolveHost = static (_, _) => throw new SocketException((int)SocketError.HostNotFound) },
        };
        _options.Transports.Streams.ReconnectDelay = FromMilliseconds(1);
        _server = _engine.MakeServer(new CoapEndpointOptions());
    }

    private CoapClient Client => _client ??= new CoapClient(_options);

    public async ValueTask DisposeAsync()
    {
        if (_client is not null)
        {
            await _client.DisposeAsync();
        }

        await _server.DisposeAsync();
        await _engine.DisposeAsync();
    }

    [Fact]
    public async Task A_client_asks_transfers_observes_pings_and_ends_without_a_thread_of_the_library()
    {
        int state = 1;
        CoapRouteHandlerBuilder route = _server.MapGet("/state", () => CoapResults.Text($"{Volatile.Read(ref state)}")).Observable();
        _server.MapPost("/echo", static request => CoapResults.Bytes(request.Payload)).WithMaxBodySize(8 << 20);
        _server.MapGet("/never", static async (_, cancellationToken) =>
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);
            return CoapResults.Text("never");
        });
        TaskCompletionSource<CoapPeer> connected = new();
        _server.Endpoint.PeerConnected += (_, peer) => connected.TrySetResult(peer);
        string uri = await _engine.StartAsync(_server);

        byte[] body = [.. Enumerable.Range(0, 3_000_000).Select(static i => (byte)((i * 7) + (i >> 9)))];
        Assert.Equal(body, (await Client.PostAsync($"{uri}/echo", CoapContent.Binary(body)).WaitAsync(s_hang)).Payload.ToArray());
        await Client.PingAsync(uri).WaitAsync(s_hang);
        await using (CoapObservation observation = await Client.ObserveAsync($"{uri}/state").WaitAsync(s_hang))
        {
            await using IAsyncEnumerator<CoapResponse> notifications = observation.ReadAllAsync().GetAsyncEnumerator();
            await NextAsync("1");
            Volatile.Write(ref state, 2);
            route.Notify();
            await NextAsync("2");
            await (await connected.Task.WaitAsync(s_hang)).ReleaseAsync().WaitAsync(s_hang);
            Volatile.Write(ref state, 3);
            route.Notify();
            await NextAsync("3");

            async Task NextAsync(string wanted)
            {
                do
                {
                    Assert.True(await notifications.MoveNextAsync().AsTask().WaitAsync(s_hang));
                }
                while (notifications.Current.GetText() != wanted);
            }
        }

        CoapRequest late = new(CoapMethod.Get, $"{uri}/never") { Timeout = FromMilliseconds(10) };
        await Assert.ThrowsAsync<CoapTimeoutException>(() => Client.SendAsync(late).WaitAsync(s_hang));
        await Client.DisposeAsync().AsTask().WaitAsync(s_hang);
        Assert.Equal(Client.Endpoint.Counters[CoapCounter.ConnectionsOpened], Client.Endpoint.Counters[CoapCounter.ConnectionsClosed]);
    }

    [Fact]
    public async Task The_host_name_is_passed_to_the_browser_unresolved()
    {
        using WebServer web = new();
        Task<CoapResponse> asked = Client.GetAsync($"coap+ws://localhost:{web.Port}/a");
        (Stream stream, string head) = await web.AcceptAsync().WaitAsync(s_hang);
        Assert.Equal($"localhost:{web.Port}", WebServer.FieldOf(head, "Host"));
        head.Begins("GET /.well-known/coap HTTP/1.1\r\n");
        await stream.WriteAsync("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"u8.ToArray());
        CoapConnectionException error = await Assert.ThrowsAsync<CoapConnectionException>(() => asked.WaitAsync(s_hang));
        error.Mentions($"ws://localhost:{web.Port}/.well-known/coap");
        error.Mentions("AllowedOrigins");
        await stream.DisposeAsync();
    }

    [Fact]
    public async Task An_error_names_the_host_of_the_URI()
    {
        using WebServer web = new();
        Task<CoapResponse> asked = Client.PostAsync($"coap+ws://localhost:{web.Port}/a", CoapContent.Text("a"));
        using WebSocket peer = await web.OpenAsync().WaitAsync(s_hang);
        await peer.SendAsync(Wire.Hex("00e1"), WebSocketMessageType.Binary, true, CancellationToken.None);
        await peer.CloseOutputAsync(WebSocketCloseStatus.InternalServerError, "broken", CancellationToken.None);
        CoapConnectionException error = await Assert.ThrowsAsync<CoapConnectionException>(() => asked.WaitAsync(s_hang));
        error.Mentions($"localhost:{web.Port} closed the WebSocket: 1011 broken");
        error.Message.Omits("[::]");
    }

    [Fact]
    public async Task The_browser_client_closes_an_aborted_WebSocket_with_1000()
    {
        using WebServer web = new();
        Task<CoapResponse> asked = Client.PostAsync($"coap+ws://localhost:{web.Port}/a", CoapContent.Text("a"));
        using WebSocket peer = await web.OpenAsync().WaitAsync(s_hang);
        await peer.SendAsync(Wire.Hex("0f"), WebSocketMessageType.Binary, true, CancellationToken.None);
        byte[] buffer = new byte[1024];
        WebSocketReceiveResult received;
        byte code = 0;
        do
        {
            received = await peer.ReceiveAsync(new ArraySegment<byte>(buffer), CancellationToken.None).WaitAsync(s_hang);
            code = received.MessageType == WebSocketMessageType.Binary ? buffer[1] : code;
        }
        while (received.MessageType != WebSocketMessageType.Close);

        // 7.05, the Abort, has told the cause.
        Assert.Equal(0xe5, code);
        Assert.Equal(WebSocketCloseStatus.NormalClosure, received.CloseStatus);
        await Assert.ThrowsAsync<CoapConnectionException>(() => asked.WaitAsync(s_hang));
    }

    [Theory]
    [InlineData("coap", "coap+ws")]
    [InlineData("coap+tcp", "coap+ws")]
    [InlineData("coaps", "coaps+ws")]
    [InlineData("coaps+tcp", "coaps+ws")]
    public async Task A_scheme_that_needs_sockets_is_refused_with_the_alternative_scheme(string scheme, string other)
    {
        foreach (string host in (string[])["device.example", "192.0.2.1"])
        {
            CoapException error = await Assert.ThrowsAsync<CoapException>(() => Client.GetAsync($"{scheme}://{host}/a").WaitAsync(s_hang));
            error.Mentions($"cannot use {scheme}, ");
            error.Mentions($"Use {other} ");
        }
    }

    [Fact]
    public async Task A_custom_transport_works_in_the_browser()
    {
        InMemoryNetwork network = new(TimeProvider.System);
        await using CoapServer server = new();
        server.MapGet("/a", static () => CoapResults.Text("a"));
        server.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.1:5683")));
        await server.StartAsync();
        Client.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.2:5683")));
        await Client.GetAsync("coap://192.0.2.1/a").WaitAsync(s_hang).Says("a");
    }

    [Fact]
    public void Listen_is_refused_in_the_browser()
    {
        ArgumentException error = Assert.Throws<ArgumentException>(() => Client.Endpoint.Listen("coap://[::]"));
        error.Mentions("page in a browser");
    }

    public static TheoryData<string, Action<CoapEndpointOptions>> Ignored => new()
    {
        { "Headers", static options => options.Transports.WebSockets.Headers["Authorization"] = "Bearer token" },
        { "Proxy", static options => options.Transports.WebSockets.Proxy = new WebProxy("http://127.0.0.1:1") },
        { "Credentials", static options => options.Transports.WebSockets.Credentials = new NetworkCredential("me", "secret") },
        { "Configure", static options => options.Transports.WebSockets.Configure = static _ => { } },
        { "Tls", static options => options.Tls = new CoapTlsOptions { Client = new System.Net.Security.SslClientAuthenticationOptions() } },
    };

    [Theory]
    [MemberData(nameof(Ignored), DisableDiscoveryEnumeration = true)]
    public async Task An_option_that_the_browser_cannot_apply_is_refused(string name, Action<CoapEndpointOptions> set)
    {
        set(_options);
        PlatformNotSupportedException error = await Assert.ThrowsAsync<PlatformNotSupportedException>(
            () => Client.GetAsync("coap+ws://127.0.0.1:1/a").WaitAsync(s_hang));
        error.Message.Begins(name);
    }

    [Fact]
    public async Task LocalAddress_is_refused_in_the_browser()
    {
        CoapRequest request = new(CoapMethod.Get, "coap+ws://127.0.0.1:1/a") { LocalAddress = IPAddress.Loopback };
        CoapConnectionException error = await Assert.ThrowsAsync<CoapConnectionException>(
            () => Client.SendAsync(request).WaitAsync(s_hang));
        error.Mentions("LocalAddress");
    }

    private sealed class NoThreads : CoapThreadScheduler
    {
        public override bool Queue(Action<object?> work, object? state) => false;
    }
}
