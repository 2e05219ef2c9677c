using CoAP.NET.Diagnostics;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace CoAP.NET.AspNetCore.Tests;

/// <summary>Our client and our server over WebSockets of Kestrel.</summary>
/// <remarks>Real clock: Kestrel closes a connection that takes nothing by its own clock.</remarks>
public sealed class WebSocketEndToEndTests : WebTest
{
    private readonly CoapEndpointOptions _clientOptions = new();
    private CoapClient? _client;

    private CoapClient Client => _client ??= new CoapClient(_clientOptions);

    private string Uri => $"coap+ws://127.0.0.1:{Port}";

    public override async ValueTask DisposeAsync()
    {
        if (_client is not null)
        {
            await _client.DisposeAsync();
        }

        await base.DisposeAsync();
    }

    [Fact]
    public async Task Requests_share_one_WebSocket()
    {
        Coap.MapGet("/hello", request => CoapResults.Text($"hello {request.Peer.Address.ToIPEndPoint().Address} at {request.GetUri()}"));
        await StartAsync();
        string port = $"{Port}";
        for (int i = 0; i < 3; i++)
        {
            CoapResponse response = await Client.GetAsync($"{Uri}/hello").WaitAsync(Hang);
            response.Says($"hello 127.0.0.1 at coap+ws://127.0.0.1:{port}/hello");
        }

        Assert.Equal(1, Coap.Counters[CoapCounter.ConnectionsAccepted]);
        Assert.Equal(1, Client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
        Assert.Empty(Coap.LocalEndpoints);
    }

    [Fact]
    public async Task Many_concurrent_requests_are_all_answered()
    {
        Coap.MapGet("/n/{n}", request => CoapResults.Text(request.Route["n"]));
        await StartAsync();
        string[] answers = await Task.WhenAll(Enumerable.Range(0, 200).Select(async n => (await Client.GetAsync($"{Uri}/n/{n}")).GetText()))
            .WaitAsync(Hang);
        Assert.Equal(Enumerable.Range(0, 200).Select(n => $"{n}"), answers);
    }

    [Fact]
    public async Task Bodies_of_any_size_are_transferred_in_both_directions()
    {
        Coap.MapPost("/echo", request => CoapResults.Bytes(request.Payload)).WithMaxBodySize(8 << 20);
        await StartAsync();
        foreach (int size in (int[])[0, 1, 1000, 70_000, 3_000_000])
        {
            byte[] body = [.. Enumerable.Range(0, size).Select(i => (byte)((i * 7) + (i >> 9)))];
            CoapResponse response = await Client.PostAsync($"{Uri}/echo", CoapContent.Binary(body)).WaitAsync(Hang);
            Assert.Equal(body, response.Payload.ToArray());
        }
    }

    [Fact]
    public async Task Observations_continue_after_the_WebSocket_was_lost()
    {
        int state = 1;
        CoapRouteHandlerBuilder route = Coap.MapGet("/state", () => CoapResults.Text($"{Volatile.Read(ref state)}")).Observable();
        _clientOptions.Transports.Streams.ReconnectDelay = FromMilliseconds(1);
        TaskCompletionSource<CoapPeer> connected = new();
        Coap.Endpoint.PeerConnected += (_, peer) => connected.TrySetResult(peer);
        await StartAsync();
        await using CoapObservation observation = await Client.ObserveAsync($"{Uri}/state").WaitAsync(Hang);
        await using IAsyncEnumerator<CoapResponse> notifications = observation.ReadAllAsync().GetAsyncEnumerator();
        await NextAsync("1");
        state = 2;
        route.Notify();
        await NextAsync("2");
        CoapPeer peer = await connected.Task.WaitAsync(Hang);
        await peer.ReleaseAsync().WaitAsync(Hang);
        Volatile.Write(ref state, 3);
        route.Notify();
        await NextAsync("3");
        Assert.Equal(2, Coap.Counters[CoapCounter.ConnectionsAccepted]);

        async Task NextAsync(string wanted)
        {
            do
            {
                Assert.True(await notifications.MoveNextAsync().AsTask().WaitAsync(Hang));
            }
            while (notifications.Current.GetText() != wanted);
        }
    }

    [Fact]
    public async Task The_server_sends_requests_to_the_client_over_the_same_WebSocket()
    {
        TaskCompletionSource<CoapPeer> connected = new();
        Coap.Endpoint.PeerConnected += (_, peer) => connected.TrySetResult(peer);
        await StartAsync();
        await using CoapServer device = new();
        device.MapGet("/3/0", () => CoapResults.Text("device"));
        await device.Endpoint.PingAsync(Uri).WaitAsync(Hang);
        await (await connected.Task.WaitAsync(Hang)).GetAsync("/3/0").WaitAsync(Hang).Says("device");
    }

    [Fact]
    [Rfc("8323-8.5-1")]
    public async Task The_host_name_of_the_request_is_taken_from_the_Host_header()
    {
        Coap.MapGet("/a", request => CoapResults.Text($"{request.GetUri()} {request.Options.UriHost ?? "-"}"));
        _clientOptions.Transports.ResolveHost = (_, _) => Task.FromResult<IPAddress[]>([IPAddress.Loopback]);
        await StartAsync();
        string said = (await Client.GetAsync($"coap+ws://virtual.example:{Port}/a").WaitAsync(Hang)).GetText();
        Assert.Equal($"coap+ws://virtual.example:{Port}/a -", said);
    }

    [Fact]
    public async Task A_user_of_the_application_is_the_identity_of_the_peer()
    {
        Coap.MapGet("/who",
            request => CoapResults.Text(request.Peer.Identity is CoapUserPeerIdentity known ? known.User.Identity!.Name! : "nobody"));
        await StartAsync(application =>
        {
            application.Use((context, next) =>
            {
                if (context.Request.Headers.Authorization is [{ } name])
                {
                    context.User = new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.Name, name)], "test"));
                }

                return next(context);
            });
            application.MapCoapWebSocket(Coap);
        });
        await Client.GetAsync($"{Uri}/who").WaitAsync(Hang).Says("nobody");
        CoapEndpointOptions options = new();
        options.Transports.WebSockets.Headers["Authorization"] = "alice";
        await using CoapClient alice = new(options);
        await alice.GetAsync($"{Uri}/who").WaitAsync(Hang).Says("alice");
    }

    [Fact]
    public async Task The_application_may_set_the_identity_of_the_peer()
    {
        Coap.MapGet("/who", request => CoapResults.Text($"{request.Peer.Identity}"));
        await StartAsync(application =>
            application.MapCoapWebSocket(Coap, "/d/{id}",
                options => options.Identity = context => new CoapNamedPeerIdentity($"{context.Request.RouteValues["id"]}")));
        _clientOptions.Transports.WebSockets.Path = "/d/7";
        await Client.GetAsync($"{Uri}/who").WaitAsync(Hang).Says("7");
    }

    [Fact]
    [Rfc("8323-9.2-1")]
    public async Task The_client_certificate_is_the_identity_of_the_peer_over_TLS()
    {
        using X509Certificate2 certificate = Certificates.Make("localhost");
        using X509Certificate2 device = Certificates.Make("device-7");
        Coap.MapGet("/who",
            request =>
                CoapResults.Text($"{request.GetUri().Scheme} {(request.Peer.Identity as CoapTlsPeerIdentity)?.Certificate?.Subject}"))
            .RequireTransportSecurity();
        await StartAsync(listen: listen => listen.UseHttps(https =>
        {
            https.ServerCertificate = certificate;
            https.ClientCertificateMode = ClientCertificateMode.AllowCertificate;
            https.ClientCertificateValidation = (_, _, _) => true;
        }));
        _clientOptions.Tls = new CoapTlsOptions
        {
            Client = new SslClientAuthenticationOptions
            {
                CertificateChainPolicy = new X509ChainPolicy
                {
                    TrustMode = X509ChainTrustMode.CustomRootTrust,
                    CustomTrustStore = { certificate },
                    RevocationMode = X509RevocationMode.NoCheck
                },
                ClientCertificates = [device],
            },
        };
        _clientOptions.Transports.ResolveHost = (_, _) => Task.FromResult<IPAddress[]>([IPAddress.Loopback]);
        await Client.GetAsync($"coaps+ws://localhost:{Port}/who").WaitAsync(Hang).Says("coaps+ws CN=device-7");
        await Client.GetAsync($"coaps+ws://127.0.0.1:{Port}/who").WaitAsync(Hang).Says("coaps+ws CN=device-7");

        // RFC 8323 section 9.2: a certificate that is not for the name, or not trusted, is refused.
        CoapConnectionException wrong = await Assert.ThrowsAsync<CoapConnectionException>(
            () => Client.GetAsync($"coaps+ws://other.example:{Port}/who").WaitAsync(Hang));
        Assert.Equal(CoapError.HandshakeFailed, wrong.Error);
        await using CoapClient trusting = new();
        CoapConnectionException unknown =
            await Assert.ThrowsAsync<CoapConnectionException>(() => trusting.GetAsync($"coaps+ws://127.0.0.1:{Port}/who").WaitAsync(Hang));
        Assert.Equal(CoapError.HandshakeFailed, unknown.Error);
    }

    [Fact]
    public async Task WebSockets_over_HTTP_2_use_extended_CONNECT()
    {
        string? protocol = null;
        using X509Certificate2 certificate = Certificates.Make("localhost");
        Coap.MapGet("/hello", () => CoapResults.Text("hello"));
        await StartAsync(
            application =>
            {
                application.Use((context, next) =>
                {
                    protocol = $"{context.Request.Protocol} {context.Request.Method}";
                    return next(context);
                });
                application.MapCoapWebSocket(Coap);
            },
            listen =>
            {
                listen.Protocols = HttpProtocols.Http2;
                UseHttps(listen, certificate);
            });
        _clientOptions.Transports.WebSockets.HttpVersion = HttpVersion.Version20;
        _clientOptions.Transports.WebSockets.HttpVersionPolicy = HttpVersionPolicy.RequestVersionExact;
        _clientOptions.Tls = new CoapTlsOptions
        {
            Client = new SslClientAuthenticationOptions { RemoteCertificateValidationCallback = Certificates.Any }
        };
        await Client.GetAsync($"coaps+ws://127.0.0.1:{Port}/hello").WaitAsync(Hang).Says("hello");
        Assert.Equal("HTTP/2 CONNECT", protocol);
    }

    [Fact]
    public async Task A_stopping_application_answers_requests_in_progress_and_releases_its_connections()
    {
        TaskCompletionSource started = new();
        TaskCompletionSource go = new();
        Coap.MapGet("/slow", async (CoapRequestContext _, CancellationToken _) =>
        {
            started.SetResult();
            await go.Task;
            return CoapResults.Text("done");
        });
        await StartAsync();
        TaskCompletionSource<CoapDisconnection> gone = new();
        Client.Endpoint.PeerDisconnected += (_, end) => gone.TrySetResult(end);
        Task<CoapResponse> asked = Client.GetAsync($"{Uri}/slow");
        await started.Task.WaitAsync(Hang);
        Task stopping = Application!.StopAsync();
        go.SetResult();
        await asked.WaitAsync(Hang).Says("done");
        Assert.Equal(CoapError.Released, (await gone.Task.WaitAsync(Hang)).Reason.Error);
        await stopping.WaitAsync(Hang);
    }

    [Fact]
    public async Task A_WebSocket_whose_peer_reads_nothing_is_closed_after_the_send_timeout()
    {
        Options.Transports.Streams.SendTimeout = FromMilliseconds(300);
        Coap.MapGet("/large", () => CoapResults.Bytes(new byte[1_000_000]));
        TaskCompletionSource gone = new();
        Coap.Endpoint.PeerDisconnected += (_, _) => gone.TrySetResult();
        TaskCompletionSource handled = new();
        await StartAsync(application =>
        {
            application.Use(async (context, next) =>
            {
                await next(context);
                handled.TrySetResult();
            });
            application.MapCoapWebSocket(Coap);
        });
        using ClientWebSocket webSocket = await OpenAsync();
        await SendAsync(webSocket, "00e12310000020");
        for (int i = 0; i < 40 && webSocket.State == WebSocketState.Open; i++)
        {
            try
            {
                await SendAsync(webSocket, "0001b56c61726765");
            }
            catch (WebSocketException)
            {
                break;
            }
        }

        await gone.Task.WaitAsync(Hang);
        Assert.Equal(1, Coap.Counters[CoapCounter.SlowConnections]);

        // Nothing of it is left with the web server.
        await handled.Task.WaitAsync(Hang);
    }

    [Fact]
    public async Task A_server_that_does_not_select_coap_is_refused()
    {
        await StartAsync(application =>
        {
            application.UseWebSockets();
            application.Map("/.well-known/coap", async context =>
            {
                using WebSocket webSocket = await context.WebSockets.AcceptWebSocketAsync();
                await webSocket.ReceiveAsync(Memory<byte>.Empty, context.RequestAborted);
            });
        });
        CoapConnectionException exception =
            await Assert.ThrowsAsync<CoapConnectionException>(() => Client.GetAsync($"{Uri}/a").WaitAsync(Hang));
        Assert.Equal(CoapError.ConnectFailed, exception.Error);
        exception.Mentions("sub-protocol");
    }

    [Fact]
    public async Task The_error_for_a_server_without_WebSockets_has_its_HTTP_status()
    {
        await StartAsync(application => application.MapGet("/", () => "web"));
        CoapConnectionException exception =
            await Assert.ThrowsAsync<CoapConnectionException>(() => Client.GetAsync($"{Uri}/a").WaitAsync(Hang));
        Assert.Equal(CoapError.ConnectFailed, exception.Error);
        exception.Mentions("404");
        exception.Mentions("CoapWebSocketOptions.Path");
    }
}
