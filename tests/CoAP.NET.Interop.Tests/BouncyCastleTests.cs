using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Interop.Tests;

/// <summary>DTLS with BouncyCastle at the other end, in this process: both roles, all cipher suites.</summary>
public sealed class BouncyCastleTests : IDisposable
{
    private static readonly byte[] s_key = "secretPSK-1234567"u8.ToArray();

    private readonly ECDsa _ours = ECDsa.Create(ECCurve.NamedCurves.nistP256);
    private readonly ECDsa _theirs = ECDsa.Create(ECCurve.NamedCurves.nistP256);
    private readonly X509Certificate2 _ourCertificate;
    private readonly X509Certificate2 _theirCertificate;

    public BouncyCastleTests() => (_ourCertificate, _theirCertificate) = (SelfSign("ours", _ours), SelfSign("theirs", _theirs));

    public static TheoryData<CoapDtlsCipherSuite> WithKeys =>
    [
        CoapDtlsCipherSuite.PskAes128Ccm8, CoapDtlsCipherSuite.PskAes128Ccm, CoapDtlsCipherSuite.PskAes128GcmSha256,
        CoapDtlsCipherSuite.EcdhePskAes128Ccm8Sha256, CoapDtlsCipherSuite.EcdhePskAes128CcmSha256,
        CoapDtlsCipherSuite.EcdhePskAes128GcmSha256, CoapDtlsCipherSuite.PskAes256Ccm8, CoapDtlsCipherSuite.PskAes256Ccm,
        CoapDtlsCipherSuite.PskAes256GcmSha384, CoapDtlsCipherSuite.EcdhePskAes256GcmSha384,
    ];

    public static TheoryData<CoapDtlsCipherSuite> WithCertificates =>
    [
        CoapDtlsCipherSuite.EcdheEcdsaAes128Ccm8, CoapDtlsCipherSuite.EcdheEcdsaAes128Ccm, CoapDtlsCipherSuite.EcdheEcdsaAes128GcmSha256,
        CoapDtlsCipherSuite.EcdheEcdsaAes256Ccm8, CoapDtlsCipherSuite.EcdheEcdsaAes256Ccm, CoapDtlsCipherSuite.EcdheEcdsaAes256GcmSha384,
    ];

    public void Dispose()
    {
        _ourCertificate.Dispose();
        _theirCertificate.Dispose();
        _ours.Dispose();
        _theirs.Dispose();
    }

    [Theory]
    [MemberData(nameof(WithKeys))]
    public async Task A_client_with_a_pre_shared_key_gets_a_response(CoapDtlsCipherSuite suite)
    {
        await using StreamServer server = await StreamServer.StartAsync(ServerWithKey(suite));
        BouncyEnd client = new() { Suite = (int)suite, Psk = s_key };
        Assert.Equal(BouncyEnd.Identity, await Within(BouncyClient.GetAsync(client, PortOf(server), "who")));
        Assert.True(client.IsExtendedMasterSecret);
    }

    [Theory]
    [MemberData(nameof(WithKeys))]
    public async Task A_server_with_a_pre_shared_key_answers(CoapDtlsCipherSuite suite) =>
        await AskAsync(new BouncyEnd { Suite = (int)suite, Psk = s_key }, ClientWithKey(suite));

    [Theory]
    [MemberData(nameof(WithCertificates))]
    public async Task A_client_and_our_server_authenticate_with_certificates(CoapDtlsCipherSuite suite)
    {
        await using StreamServer server = await StreamServer.StartAsync(Options(suite, new CoapDtlsServerOptions
        {
            Certificate = _ourCertificate,
            RequireClientCertificate = true,
            ValidateClientCertificate = (leaf, _, _, _) => new(leaf.Equals(_theirCertificate)),
        }));
        BouncyEnd client = new() { Suite = (int)suite, Key = _theirs, Certificate = _theirCertificate };
        Assert.Equal("CN=theirs", await Within(BouncyClient.GetAsync(client, PortOf(server), "who")));
        Assert.Equal(_ourCertificate.RawData, client.PeerCredential);
    }

    [Theory]
    [MemberData(nameof(WithCertificates))]
    public async Task A_server_and_our_client_authenticate_with_certificates(CoapDtlsCipherSuite suite)
    {
        BouncyEnd server = new() { Suite = (int)suite, Key = _theirs, Certificate = _theirCertificate, AsksForCertificate = true };
        await AskAsync(server, Options(suite, client: new CoapDtlsClientOptions
        {
            Certificate = _ourCertificate,
            ValidateServerCertificate = (leaf, _, _, _) => new(leaf.Equals(_theirCertificate)),
        }));
        Assert.Equal(_ourCertificate.RawData, server.PeerCredential);
    }

    [Fact]
    public async Task A_client_without_a_certificate_is_served_where_none_is_required()
    {
        const CoapDtlsCipherSuite Suite = CoapDtlsCipherSuite.EcdheEcdsaAes128Ccm8;
        await using StreamServer server = await StreamServer.StartAsync(
            Options(Suite, new CoapDtlsServerOptions { Certificate = _ourCertificate }));
        Assert.Equal("nobody", await Within(BouncyClient.GetAsync(new BouncyEnd { Suite = (int)Suite }, PortOf(server), "who")));
    }

    [Fact]
    public async Task A_client_and_our_server_authenticate_with_raw_public_keys()
    {
        const CoapDtlsCipherSuite Suite = CoapDtlsCipherSuite.EcdheEcdsaAes128Ccm8;
        await using StreamServer server = await StreamServer.StartAsync(Options(Suite, new CoapDtlsServerOptions
        {
            RawPublicKey = _ours,
            RequireClientPublicKey = true,
            ValidateClientPublicKey = (key, _) => new(key.Span.SequenceEqual(_theirs.ExportSubjectPublicKeyInfo())),
        }));
        BouncyEnd client = new() { Suite = (int)Suite, Key = _theirs };
        Assert.Equal("nobody", await Within(BouncyClient.GetAsync(client, PortOf(server), "who")));
        Assert.Equal(_ours.ExportSubjectPublicKeyInfo(), client.PeerCredential);
        Assert.Equal(_theirs.ExportSubjectPublicKeyInfo(), Assert.IsType<CoapDtlsPeerIdentity>(server.LastIdentity).PublicKey.ToArray());
    }

    [Fact]
    public async Task A_server_and_our_client_authenticate_with_raw_public_keys()
    {
        const CoapDtlsCipherSuite Suite = CoapDtlsCipherSuite.EcdheEcdsaAes128Ccm8;
        BouncyEnd server = new() { Suite = (int)Suite, Key = _theirs, AsksForCertificate = true };
        await AskAsync(server, Options(Suite, client: new CoapDtlsClientOptions
        {
            RawPublicKey = _ours,
            ValidateServerPublicKey = (_, key, _) => new(key.Span.SequenceEqual(_theirs.ExportSubjectPublicKeyInfo())),
        }));
        Assert.Equal(_ours.ExportSubjectPublicKeyInfo(), server.PeerCredential);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(5)]
    public async Task Connection_IDs_of_both_ends_are_used(int length)
    {
        const CoapDtlsCipherSuite Suite = CoapDtlsCipherSuite.PskAes128Ccm8;
        byte[] cid = [.. Enumerable.Range(1, length).Select(static i => (byte)i)];
        await using StreamServer server = await StreamServer.StartAsync(ServerWithKey(Suite));
        BouncyEnd client = new() { Suite = (int)Suite, Psk = s_key, ConnectionId = cid };
        Assert.Equal(BouncyEnd.Identity, await Within(BouncyClient.GetAsync(client, PortOf(server), "who")));
        Assert.NotNull(client.PeerConnectionId);
        BouncyEnd theirServer = new() { Suite = (int)Suite, Psk = s_key, ConnectionId = cid };
        await AskAsync(theirServer, ClientWithKey(Suite));
        Assert.NotNull(theirServer.PeerConnectionId);
    }

    [Fact]
    public async Task A_client_resumes_its_session_with_our_server()
    {
        const CoapDtlsCipherSuite Suite = CoapDtlsCipherSuite.PskAes128Ccm8;
        CoapDtlsOptions options = ServerWithKey(Suite);
        options.Server!.MaxResumableSessions = 10;
        await using StreamServer server = await StreamServer.StartAsync(options);
        BouncyEnd client = new() { Suite = (int)Suite, Psk = s_key };
        Assert.Equal(BouncyEnd.Identity, await Within(BouncyClient.GetAsync(client, PortOf(server), "who")));
        Assert.Equal(BouncyEnd.Identity, await Within(BouncyClient.GetAsync(client, PortOf(server), "who")));
        Assert.True(client.IsResumed);
    }

    [Fact]
    public async Task Our_client_resumes_its_session_with_a_server()
    {
        const CoapDtlsCipherSuite Suite = CoapDtlsCipherSuite.PskAes128Ccm8;
        BouncyEnd server = new() { Suite = (int)Suite, Psk = s_key };
        using BouncyUdp udp = BouncyUdp.Listen();
        Task serving = BouncyServer.ServeAsync(server, udp, sessions: 2);
        await using CoapClient client = new(new CoapEndpointOptions().UseDtls(ClientWithKey(Suite)));
        for (int i = 0; i < 2; i++)
        {
            CoapResponse response = await Within(client.GetAsync($"coaps://127.0.0.1:{udp.Port}/hello"));
            Assert.Equal(BareCoap.Hello, response.GetText());
            client.Endpoint.Disconnect(static _ => true, "The test begins another session.");
        }

        await serving.WaitAsync(PeerProcess.HangLimit);
        Assert.True(server.IsResumed);
    }

    [Fact]
    public async Task A_client_with_a_wrong_key_gets_no_session()
    {
        const CoapDtlsCipherSuite Suite = CoapDtlsCipherSuite.PskAes128Ccm8;
        CoapDtlsOptions options = ServerWithKey(Suite);
        options.HandshakeTimeout = TimeSpan.FromSeconds(2);
        await using StreamServer server = await StreamServer.StartAsync(options);
        BouncyEnd client = new() { Suite = (int)Suite, Psk = "another key"u8.ToArray(), HandshakeTimeout = TimeSpan.FromSeconds(3) };
        Task<string> asked = BouncyClient.GetAsync(client, PortOf(server), "who");
        await server.WaitForFailuresAsync();
        Assert.Equal(0, server.Server.Counters[CoapCounter.RequestsReceived]);
        await Assert.ThrowsAnyAsync<IOException>(() => Within(asked));
    }

    private static async Task AskAsync(BouncyEnd server, CoapDtlsOptions client)
    {
        using BouncyUdp udp = BouncyUdp.Listen();
        Task serving = BouncyServer.ServeAsync(server, udp);
        await using (CoapClient ours = new(new CoapEndpointOptions().UseDtls(client)))
        {
            Task<CoapResponse> asked = ours.GetAsync($"coaps://127.0.0.1:{udp.Port}/hello");

            // The error of the server says more than that of the client.
            await Within(Task.WhenAny(asked, serving)).Unwrap();
            Assert.Equal(BareCoap.Hello, (await Within(asked)).GetText());
        }

        await serving.WaitAsync(PeerProcess.HangLimit);
        Assert.True(server.IsExtendedMasterSecret);
    }

    private static CoapDtlsOptions ServerWithKey(CoapDtlsCipherSuite suite) =>
        Options(suite, new CoapDtlsServerOptions { PskStore = new CoapPskDictionary { { BouncyEnd.Identity, s_key } } });

    private static CoapDtlsOptions ClientWithKey(CoapDtlsCipherSuite suite) =>
        Options(suite, client: new CoapDtlsClientOptions { Psk = new CoapPskCredential(BouncyEnd.Identity, s_key) });

    private static CoapDtlsOptions Options(
        CoapDtlsCipherSuite suite, CoapDtlsServerOptions? server = null, CoapDtlsClientOptions? client = null) =>
        new()
        {
            HandshakeTimeout = PeerProcess.HangLimit,
            CipherSuites = { suite },
            Server = server,
            Client = client,
        };

    private static int PortOf(StreamServer server) => new Uri(server.Uri("/")).Port;

    private static X509Certificate2 SelfSign(string name, ECDsa key)
    {
        CertificateRequest request = new($"CN={name}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.DigitalSignature, critical: true));
        return request.CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(200));
    }
}
