using System.IO.Pipelines;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>The snippets of docs/streams.md, so that they compile and do what the page says.</summary>
public sealed class StreamsDocumentationTests : FolderTest
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() => Snippets.AllStandInTests("streams.md", "Transports/Streams", 10);

    [Fact]
    public async Task A_server_can_listen_on_UDP_and_TCP()
    {
        await using CoapServer server = new();
        server.Listen("coap://[::]:5683").Listen("coap+tcp://[::]:5683");
        server.MapGet("/temperature", () => CoapResults.Text("21.5"));

        // It is not started: its ports may be somebody else's here.
        Assert.Empty(server.LocalEndpoints);
    }

    [Fact]
    public async Task A_client_sends_requests_over_a_coap_tcp_connection()
    {
        CancellationToken cancellationToken = CancellationToken.None;
        DirectStreamTransport transport = new() { Connected = Answer };
        await using CoapClient client = new();
        client.Endpoint.AddTransport(transport);

        CoapResponse response = await client.GetAsync("coap+tcp://[::1]/temperature", cancellationToken);

        response.Says("21.5");
        Assert.Equal(5683, Assert.Single(transport.OpenedByUs).Remote.Port);

        static void Answer(DirectConnection connection) => connection.OnSent = hex =>
        {
            CoapMessage message = CoapStreamSerializer.Default.Deserialize(Wire.Hex(hex));
            if (message.Code == CoapCode.Get)
            {
                connection.Receive("00e1");
                connection.Receive(CoapStreamSerializer.Default.Serialize(
                    new CoapMessage(CoapCode.Content) { Token = message.Token, Payload = "21.5"u8.ToArray() }));
            }
        };
    }

    [Fact]
    public async Task A_server_has_a_certificate_and_a_client_an_authority()
    {
        (string certificateFile, string keyFile) = Certificate("localhost");
        await Serve();
        await Ask();

        async Task Serve()
        {
            using X509Certificate2 certificate = X509Certificate2.CreateFromPemFile(certificateFile, keyFile);
            CoapEndpointOptions options = new()
            {
                Tls = new CoapTlsOptions { Server = new SslServerAuthenticationOptions { ServerCertificate = certificate } },
            };
            await using CoapServer server = new(options);
            server.Listen("coaps+tcp://[::]:5684");
            Assert.Empty(server.LocalEndpoints);
        }

        async Task Ask()
        {
            using X509Certificate2 authority = X509CertificateLoader.LoadCertificateFromFile(certificateFile);
            using X509Certificate2 device = X509Certificate2.CreateFromPemFile(certificateFile, keyFile);
            CoapEndpointOptions options = new()
            {
                Tls = new CoapTlsOptions
                {
                    Client = new SslClientAuthenticationOptions
                    {
                        CertificateChainPolicy = new X509ChainPolicy
                        {
                            TrustMode = X509ChainTrustMode.CustomRootTrust,
                            CustomTrustStore = { authority },
                            RevocationMode = X509RevocationMode.NoCheck
                        },
                        ClientCertificates = [device],
                    },
                },
            };
            await using CoapClient client = new(options);
            Assert.NotNull(client.Endpoint);
        }
    }

    [Fact]
    public async Task A_handler_sees_the_certificate_of_the_client()
    {
        (string file, _) = Certificate("device-7");
        using X509Certificate2 shown = X509CertificateLoader.LoadCertificateFromFile(file);
        DirectStreamTransport transport = new("coaps+tcp");
        await using CoapServer server = new();
        server.Endpoint.AddTransport(transport);
        server.MapGet("/who", request => request.Peer.Identity is CoapTlsPeerIdentity { Certificate: { } certificate }
            ? CoapResults.Text(certificate.Subject)
            : CoapResults.Unauthorized());
        await server.StartAsync();

        Assert.Equal("CN=device-7",
            Ask(new CoapTlsPeerIdentity(shown, "localhost", SslProtocols.Tls13, TlsCipherSuite.TLS_AES_256_GCM_SHA384)).Text);
        Assert.Equal(CoapCode.Unauthorized, Ask(null).Code);

        (CoapCode Code, string Text) Ask(ICoapPeerIdentity? identity)
        {
            DirectConnection connection = transport.Accept(identity: identity);
            connection.Receive("00e1");
            connection.TakeSent();
            connection.Receive("410101b377686f");
            CoapMessage answer = CoapStreamSerializer.Default.Deserialize(Wire.Hex(Assert.Single(connection.TakeSent())));
            return (answer.Code, Encoding.UTF8.GetString(answer.Payload.Span));
        }
    }

    [Fact]
    public async Task AllowInsecureTransport_opens_a_route_to_plain_connections_beside_a_secured_scheme()
    {
        DirectStreamTransport plain = new();
        DirectStreamTransport secured = new("coaps+tcp");
        await using CoapServer server = new();
        server.Endpoint.AddTransport(plain);
        server.Endpoint.AddTransport(secured);
        server.MapGet("/temperature", () => CoapResults.Text("21.5")).AllowInsecureTransport();
        server.MapGet("/secret", () => CoapResults.Text("1234"));
        await server.StartAsync();

        Assert.Equal(CoapCode.Content, Ask(plain, "temperature"));
        Assert.Equal(CoapCode.Unauthorized, Ask(plain, "secret"));
        Assert.Equal(CoapCode.Content, Ask(secured, "secret"));

        static CoapCode Ask(DirectStreamTransport transport, string path)
        {
            DirectConnection connection = transport.Accept();
            connection.Receive("00e1");
            connection.TakeSent();
            CoapMessage request = new(CoapCode.Get) { Token = new CoapToken([1]) };
            request.Options.Add(new UriPathOption(path));
            connection.Receive(CoapStreamSerializer.Default.Serialize(request));
            return CoapStreamSerializer.Default.Deserialize(Wire.Hex(Assert.Single(connection.TakeSent()))).Code;
        }
    }

    [Fact]
    public async Task A_server_sends_requests_to_a_device_over_its_connection()
    {
        DirectStreamTransport transport = new();
        await using CoapServer server = new();
        server.Endpoint.AddTransport(transport);
        server.MapPost("/rd", async (request, cancellationToken) =>
        {
            CoapResponse model = await request.Peer.GetAsync("/3/0/1", cancellationToken);
            return CoapResults.Created($"/rd/{model.GetText()}");
        });
        await server.StartAsync();
        DirectConnection device = transport.Accept();
        device.Receive("00e1");
        TaskCompletionSource<CoapMessage> registered = new(RunContinuationsAsynchronously);
        device.OnSent = hex =>
        {
            CoapMessage message = CoapStreamSerializer.Default.Deserialize(Wire.Hex(hex));
            if (message.Code == CoapCode.Get)
            {
                device.Receive(CoapStreamSerializer.Default.Serialize(
                    new CoapMessage(CoapCode.Content) { Token = message.Token, Payload = "X100"u8.ToArray() }));
            }
            else
            {
                registered.TrySetResult(message);
            }
        };

        device.Receive("310201b27264");

        CoapMessage answer = await registered.Task.WaitAsync(s_hang);
        Assert.Equal(CoapCode.Created, answer.Code);
        Assert.Equal(["rd", "X100"], answer.Options.LocationPath);
    }

    [Fact]
    public async Task A_custom_stream_transport_carries_requests_and_responses()
    {
        Pipe toServer = new();
        Pipe toClient = new();
        await using CoapServer server = new();
        server.Endpoint.AddTransport(new LineTransport(new DuplexStream(toServer.Reader.AsStream(), toClient.Writer.AsStream())));
        server.MapGet("/x", () => CoapResults.Text("hi"));
        await server.StartAsync();

        await toServer.Writer.WriteAsync(Wire.Hex("00e12101aab1"));
        await toServer.Writer.WriteAsync(Wire.Hex("78"));

        CoapMessage csm = await CoapStreamSerializer.Default.DeserializeAsync(toClient.Reader).AsTask().WaitAsync(s_hang);
        CoapMessage answer = await CoapStreamSerializer.Default.DeserializeAsync(toClient.Reader).AsTask().WaitAsync(s_hang);
        Assert.Equal(CoapCode.Csm, csm.Code);
        Assert.Equal("hi"u8.ToArray(), answer.Payload.ToArray());
        await toServer.Writer.WriteAsync(Wire.Hex("0f01"));
        CoapMessage abort = await CoapStreamSerializer.Default.DeserializeAsync(toClient.Reader).AsTask().WaitAsync(s_hang);
        Assert.Equal(CoapCode.Abort, abort.Code);
    }

    private (string File, string Key) Certificate(string name)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new($"CN={name}", key, HashAlgorithmName.SHA256);
        using X509Certificate2 certificate = request.CreateSelfSigned(new DateTimeOffset(2020, 1, 1, 0, 0, 0, TimeSpan.Zero),
            new DateTimeOffset(2120, 1, 1, 0, 0, 0, TimeSpan.Zero));
        string file = Path.Combine(Folder, $"{name}.pem");
        string keyFile = Path.Combine(Folder, $"{name}-key.pem");
        File.WriteAllText(file, certificate.ExportCertificatePem());
        File.WriteAllText(keyFile, key.ExportPkcs8PrivateKeyPem());
        return (file, keyFile);
    }

    /// <summary>Two streams as one.</summary>
    private sealed class DuplexStream(Stream input, Stream output) : Stream
    {
        public override bool CanRead => true;

        public override bool CanSeek => false;

        public override bool CanWrite => true;

        public override long Length => throw new NotSupportedException();

        public override long Position { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }

        public override int Read(byte[] buffer, int offset, int count) => input.Read(buffer, offset, count);

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            input.ReadAsync(buffer, cancellationToken);

        public override void Write(byte[] buffer, int offset, int count) => output.Write(buffer, offset, count);

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
            output.WriteAsync(buffer, cancellationToken);

        public override void Flush() => output.Flush();

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();

        protected override void Dispose(bool disposing)
        {
            input.Dispose();
            output.Dispose();
            base.Dispose(disposing);
        }
    }
}
