using CoAP.NET.Diagnostics;

namespace CoAP.NET.AspNetCore.Tests;

/// <summary>RFC 8323 section 3 on sockets of Kestrel.</summary>
public sealed class KestrelTcpTests : WebTest
{
    private const string OurCsm = "70e123100000202140";

    private static readonly Func<string, CancellationToken, Task<IPAddress[]>> s_loopback = (_, _) =>
        Task.FromResult<IPAddress[]>([IPAddress.Loopback]);

    private readonly CoapEndpointOptions _clientOptions = new() { Transports = { ResolveHost = s_loopback } };

    [Fact]
    public async Task A_client_is_answered_over_plain_TCP()
    {
        Coap.MapPost("/echo", request => CoapResults.Bytes(request.Payload)).WithMaxBodySize(8 << 20);
        await ServeAsync();
        await using CoapClient client = new(_clientOptions);
        byte[] body = [.. Enumerable.Range(0, 2_000_000).Select(i => (byte)((i * 7) + (i >> 9)))];
        CoapResponse response = await client.PostAsync($"coap+tcp://127.0.0.1:{Port}/echo", CoapContent.Binary(body)).WaitAsync(Hang);
        Assert.Equal(body, response.Payload.ToArray());
        Assert.Equal(1, Coap.Counters[CoapCounter.ConnectionsAccepted]);
        Assert.Empty(Coap.LocalEndpoints);
    }

    [Fact]
    public async Task The_server_of_the_container_is_served_over_TCP()
    {
        Coap.MapGet("/a", () => CoapResults.Text("b"));
        await StartAsync(_ => { }, listen => listen.UseCoap(), services => services.AddSingleton(Coap));
        await using CoapClient client = new(_clientOptions);
        await client.GetAsync($"coap+tcp://127.0.0.1:{Port}/a").WaitAsync(Hang).Says("b");
    }

    [Fact]
    public async Task Frames_are_parsed_however_they_are_split()
    {
        Coap.MapGet("/a", () => CoapResults.Text("b"));
        await ServeAsync();
        using TcpClient peer = new() { NoDelay = true };
        NetworkStream stream = await ConnectAsync(peer);
        foreach (byte one in Wire.Hex("00e1" + "2101" + "7f" + "b161" + "01e242"))
        {
            await stream.WriteAsync(new[] { one });
        }

        Assert.Equal("31457fc0ff62" + "01e342", await ReadAsync(stream, 9));
    }

    [Fact]
    public async Task A_request_in_progress_is_answered_before_the_connection_ends_after_the_peer_shuts_down()
    {
        TaskCompletionSource go = new();
        Coap.MapGet("/a", async (CoapRequestContext _, CancellationToken _) =>
        {
            await go.Task;
            return CoapResults.Text("b");
        });
        await ServeAsync();
        using TcpClient peer = new();
        NetworkStream stream = await ConnectAsync(peer);
        await stream.WriteAsync(Wire.Hex("00e1" + "21017fb161"));
        peer.Client.Shutdown(SocketShutdown.Send);
        go.SetResult();
        Assert.Equal("31457fc0ff62", await ReadAsync(stream, 6));

        // The Empty message that may always be the last, and the end.
        Assert.Equal("0000", await ReadAsync(stream, 2));
        Assert.Equal(0, await stream.ReadAsync(new byte[1]).AsTask().WaitAsync(Hang));
    }

    [Theory]
    [InlineData("0001", "e5ff")] // before the CSM
    [InlineData("00e1f0ffffffff01", "e5ff")] // too long
    public async Task A_peer_that_violates_the_protocol_gets_an_Abort_and_its_connection_is_closed(string hex, string abort)
    {
        await ServeAsync();
        using TcpClient peer = new();
        NetworkStream stream = await ConnectAsync(peer);
        await stream.WriteAsync(Wire.Hex(hex));
        using MemoryStream all = new();
        await stream.CopyToAsync(all).WaitAsync(Hang);
        Wire.Hex(all.ToArray()).Mentions(abort);
        Assert.Equal(1, Coap.Counters[CoapCounter.ConnectionsAborted]);
    }

    [Fact]
    public async Task A_connection_whose_peer_reads_nothing_is_closed_after_the_send_timeout()
    {
        Options.Transports.Streams.SendTimeout = FromMilliseconds(300);
        Coap.MapGet("/large", () => CoapResults.Bytes(new byte[1_000_000]));
        await ServeAsync();
        TaskCompletionSource gone = new();
        Coap.Endpoint.PeerDisconnected += (_, _) => gone.TrySetResult();
        using TcpClient peer = new() { ReceiveBufferSize = 4096 };
        NetworkStream stream = await ConnectAsync(peer);
        await stream.WriteAsync(Wire.Hex("50e12310000020"));
        for (int i = 0; i < 40; i++)
        {
            try
            {
                await stream.WriteAsync(Wire.Hex("6001b56c61726765"));
            }
            catch (IOException)
            {
                break;
            }
        }

        await gone.Task.WaitAsync(Hang);
        Assert.Equal(1, Coap.Counters[CoapCounter.SlowConnections]);
    }

    [Fact]
    [Rfc("8323-8.2-2")]
    public async Task TLS_connections_negotiate_the_coap_protocol_and_know_the_client_certificate()
    {
        using X509Certificate2 certificate = Certificates.Make("localhost");
        using X509Certificate2 device = Certificates.Make("device-7");
        Coap.MapGet("/who",
            request =>
                CoapResults.Text(
                    $"{request.GetUri().Scheme} {request.GetUri().Host} "
                    + $"{(request.Peer.Identity as CoapTlsPeerIdentity)?.Certificate?.Subject}"));
        await StartAsync(_ => { }, listen => listen.UseCoapTls(new SslServerAuthenticationOptions
        {
            ServerCertificate = certificate,
            ClientCertificateRequired = true,
            RemoteCertificateValidationCallback = Certificates.Any,
        }).UseCoap(Coap));
        _clientOptions.Tls = new CoapTlsOptions
        {
            Client = new SslClientAuthenticationOptions
            {
                ClientCertificates = [device],
                RemoteCertificateValidationCallback = Certificates.Any
            },
        };
        await using CoapClient client = new(_clientOptions);
        await client.GetAsync($"coaps+tcp://localhost:{Port}/who").WaitAsync(Hang).Says("coaps+tcp localhost CN=device-7");
    }

    [Fact]
    [Rfc("8323-8.2-2")]
    public async Task TLS_offers_coap_in_addition_to_the_application_protocols_of_the_options()
    {
        using X509Certificate2 certificate = Certificates.Make("localhost");
        SslServerAuthenticationOptions tls = new()
        {
            ServerCertificate = certificate,
            ApplicationProtocols = [SslApplicationProtocol.Http11],
        };
        Coap.MapGet("/x", () => "over TLS");
        await StartAsync(_ => { }, listen => listen.UseCoapTls(tls).UseCoap(Coap));
        _clientOptions.Tls = new CoapTlsOptions
        {
            Client = new SslClientAuthenticationOptions { RemoteCertificateValidationCallback = Certificates.Any },
        };
        await using CoapClient client = new(_clientOptions);

        await client.GetAsync($"coaps+tcp://localhost:{Port}/x").WaitAsync(Hang).Says("over TLS");
        Assert.Equal([SslApplicationProtocol.Http11, new SslApplicationProtocol("coap")], tls.ApplicationProtocols);
    }

    [Fact]
    [Rfc("8323-8.2-2")]
    public async Task A_TLS_connection_without_the_coap_application_protocol_is_closed()
    {
        using X509Certificate2 certificate = Certificates.Make("localhost");
        await StartAsync(_ => { },
            listen => listen.UseCoapTls(new SslServerAuthenticationOptions { ServerCertificate = certificate }).UseCoap(Coap));
        using TcpClient peer = new();
        await peer.ConnectAsync(IPAddress.Loopback, Port).WaitAsync(Hang);
        await using SslStream tls = new(peer.GetStream(), leaveInnerStreamOpen: false, Certificates.Any);
        await tls.AuthenticateAsClientAsync("localhost").WaitAsync(Hang);
        int count;
        try
        {
            count = await tls.ReadAsync(new byte[1]).AsTask().WaitAsync(Hang);
        }
        catch (IOException)
        {
            count = 0;
        }

        Assert.Equal(0, count);
        Assert.Equal(0, Coap.Counters[CoapCounter.ConnectionsAccepted]);
    }

    [Fact]
    public async Task The_server_releases_its_TCP_connections_when_the_application_ends()
    {
        await ServeAsync();
        using TcpClient peer = new();
        NetworkStream stream = await ConnectAsync(peer);
        await stream.WriteAsync(Wire.Hex("00e1"));
        Task stopping = Application!.StopAsync();
        Assert.Equal("00e4", await ReadAsync(stream, 2));
        peer.Client.Shutdown(SocketShutdown.Send);
        await stopping.WaitAsync(Hang);
    }

    [Fact]
    public async Task A_server_sends_requests_over_the_connections_that_it_opens_itself()
    {
        // What was accepted is of no use to open a connection with.
        Coap.MapGet("/a", () => CoapResults.Text("b"));
        await ServeAsync();
        string uri = $"coap+tcp://127.0.0.1:{Port}/a";
        await using CoapClient client = new(_clientOptions);
        await client.GetAsync(uri).WaitAsync(Hang);
        await Coap.Endpoint.GetAsync(uri).WaitAsync(Hang).Says("b");
    }

    private Task ServeAsync() => StartAsync(_ => { }, listen => listen.UseCoap(Coap));

    private async Task<NetworkStream> ConnectAsync(TcpClient peer)
    {
        await peer.ConnectAsync(IPAddress.Loopback, Port).WaitAsync(Hang);
        NetworkStream stream = peer.GetStream();
        Assert.Equal(OurCsm, await ReadAsync(stream, OurCsm.Length / 2));
        return stream;
    }

    private static async Task<string> ReadAsync(NetworkStream stream, int length)
    {
        byte[] bytes = new byte[length];
        await stream.ReadExactlyAsync(bytes).AsTask().WaitAsync(Hang);
        return Wire.Hex(bytes);
    }
}
