using System.Security.Cryptography;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Interop.Tests;

/// <summary>
/// <c>gnutls-cli</c> with our server, and <c>gnutls-serv</c> with our client, over DTLS 1.2. GnuTLS has no suite of ECDHE_PSK with AES-CCM
/// or AES-GCM, and no Connection IDs. Its server never closes a session first.
/// </summary>
[External(GnuTlsProgram.Client, GnuTlsProgram.Server)]
public sealed class GnuTlsProgramTests : IDisposable
{
    private const int SmallMtu = 300;

    private readonly Certificates _certificates = new();
    private readonly TemporaryDirectory _files = new();
    private readonly ECDsa _ours = ECDsa.Create(ECCurve.NamedCurves.nistP256);
    private readonly ECDsa _theirs = ECDsa.Create(ECCurve.NamedCurves.nistP256);

    public static TheoryData<CoapDtlsCipherSuite, string> WithKeys => new()
    {
        { CoapDtlsCipherSuite.PskAes128Ccm8, "AES-128-CCM-8" },
        { CoapDtlsCipherSuite.PskAes256Ccm8, "AES-256-CCM-8" },
        { CoapDtlsCipherSuite.PskAes128Ccm, "AES-128-CCM" },
        { CoapDtlsCipherSuite.PskAes256Ccm, "AES-256-CCM" },
        { CoapDtlsCipherSuite.PskAes128GcmSha256, "AES-128-GCM" },
        { CoapDtlsCipherSuite.PskAes256GcmSha384, "AES-256-GCM" },
    };

    public static TheoryData<CoapDtlsCipherSuite, string> WithCertificates => new()
    {
        { CoapDtlsCipherSuite.EcdheEcdsaAes128Ccm8, "AES-128-CCM-8" },
        { CoapDtlsCipherSuite.EcdheEcdsaAes256Ccm8, "AES-256-CCM-8" },
        { CoapDtlsCipherSuite.EcdheEcdsaAes128Ccm, "AES-128-CCM" },
        { CoapDtlsCipherSuite.EcdheEcdsaAes256Ccm, "AES-256-CCM" },
        { CoapDtlsCipherSuite.EcdheEcdsaAes128GcmSha256, "AES-128-GCM" },
        { CoapDtlsCipherSuite.EcdheEcdsaAes256GcmSha384, "AES-256-GCM" },
    };

    /// <summary>Priorities that are rare, and what the description of the session says.</summary>
    public static TheoryData<string, string> Rare => new()
    {
        { GnuTlsProgram.KeyCcm8 + ":%NO_EXTENSIONS", "(PSK)" },
        { GnuTlsProgram.EcdsaCcm8 + ":%NO_EXTENSIONS", "(ECDHE-SECP256R1)-(ECDSA-SHA256)" },
        { GnuTlsProgram.EcdsaCcm8 + ":-SIGN-ALL:+SIGN-ECDSA-SHA384", "(ECDHE-SECP256R1)-(ECDSA-SHA384)" },
    };

    private string[] Trusts => ["--x509cafile", _certificates.Authority];

    private string[] ClientShows => ["--x509certfile", _certificates.ClientFile, "--x509keyfile", _certificates.ClientKey];

    private string[] ServerShows => ["--x509certfile", _certificates.ServerFile, "--x509keyfile", _certificates.ServerKey];

    private string[] ServerAsks => [.. ServerShows, .. Trusts, "--require-client-cert", "--verify-client-cert"];

    private byte[] TheirKey => _theirs.ExportSubjectPublicKeyInfo();

    public void Dispose()
    {
        _certificates.Dispose();
        _files.Dispose();
        _ours.Dispose();
        _theirs.Dispose();
    }

    [Theory]
    [MemberData(nameof(WithKeys))]
    [Rfc("7252-9.1.3.1-1")]
    public async Task A_gnutls_client_completes_a_PSK_handshake_and_gets_an_answer(CoapDtlsCipherSuite suite, string cipher)
    {
        await using StreamServer server = await StreamServer.StartAsync(OneSuite.Server(suite));
        await using PeerProcess client = GnuTlsProgram.StartClient(server, $"+PSK:+{cipher}", GnuTlsProgram.WithKey());
        await AskAsync(client, server);
        Assert.Equal(StreamServer.Identity, IdentityAt(server).PskIdentity);
        client.Output.Mentions($"(PSK)-({cipher})\n");
        client.Output.Mentions("- Options: extended master secret, ");
        client.Errors.Mentions("HELLO VERIFY REQUEST (3) was received");
    }

    [Theory]
    [MemberData(nameof(WithCertificates))]
    [Rfc("7252-9.1.3.3-1")]
    public async Task A_gnutls_client_and_our_server_authenticate_with_certificates(CoapDtlsCipherSuite suite, string cipher)
    {
        CoapDtlsOptions options = OneSuite.With(suite, _certificates.AsDtlsServer(asksClients: true));
        await using StreamServer server = await StreamServer.StartAsync(options);
        await using PeerProcess client = GnuTlsProgram.StartClient(server, $"+ECDHE-ECDSA:+{cipher}", [.. Trusts, .. ClientShows]);
        await AskAsync(client, server);
        Assert.Equal("CN=device-7", IdentityAt(server).Certificate!.Subject);
        client.Output.Mentions($"(ECDSA-SHA256)-({cipher})\n");
        client.Output.Mentions("- Status: The certificate is trusted.");
    }

    [Fact]
    [Rfc("7252-9.1.3.2-1")]
    public async Task A_gnutls_client_and_our_server_authenticate_with_raw_public_keys()
    {
        await using StreamServer server = await StreamServer.StartAsync(OneSuite.With(CoapDtlsCipherSuite.EcdheEcdsaAes128Ccm8, new()
        {
            Server = new()
            {
                RawPublicKey = _ours,
                RequireClientPublicKey = true,
                ValidateClientPublicKey = (key, _) => new(key.Span.SequenceEqual(TheirKey)),
            },
        }));
        await using PeerProcess client = GnuTlsProgram.StartClient(
            server, GnuTlsProgram.RawKeysCcm8, [.. ShowingKey(), "--no-ca-verification"]);
        await AskAsync(client, server);
        Assert.Equal(TheirKey, IdentityAt(server).PublicKey.ToArray());
        client.Output.Mentions("(DTLS1.2-Raw Public Key)");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [Rfc("6347-4.2.3-1")]
    public async Task Certificates_in_fragments_arrive_at_a_gnutls_client_and_from_it(bool isOurs)
    {
        CoapDtlsOptions options = SmallDatagrams(_certificates.AsDtlsServer(asksClients: true), isOurs);
        await using StreamServer server = await StreamServer.StartAsync(options);
        await using PeerProcess client = GnuTlsProgram.StartClient(
            server, GnuTlsProgram.EcdsaCcm8, [.. SmallMtuUnless(isOurs), .. Trusts, .. ClientShows]);
        await AskAsync(client, server);
        Assert.Equal(_certificates.Client.RawData, IdentityAt(server).Certificate!.RawData);
    }

    // Without the extended master secret no session is resumed (RFC 7627 section 5.4).
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_gnutls_client_resumes_its_session_if_it_has_the_extended_master_secret(bool hasExtendedMasterSecret)
    {
        CoapDtlsOptions options = OneSuite.Server();
        options.RequireExtendedMasterSecret = hasExtendedMasterSecret;
        await using StreamServer server = await StreamServer.StartAsync(options);
        await using PeerProcess client = GnuTlsProgram.StartClient(
            server, GnuTlsProgram.KeyCcm8 + (hasExtendedMasterSecret ? "" : ":%NO_SESSION_HASH"), ["--resume", .. GnuTlsProgram.WithKey()]);
        await AskAsync(client, server);
        Assert.Equal(2, server.Server.Counters[CoapCounter.ConnectionsAccepted]);
        Assert.Equal(hasExtendedMasterSecret, client.Output.Contains("*** This is a resumed session", Ordinal));
    }

    [Theory]
    [MemberData(nameof(Rare))]
    public async Task A_gnutls_client_without_extensions_or_with_one_curve_or_hash_is_served(string priorities, string description)
    {
        CoapDtlsOptions options = _certificates.AsDtlsServer();
        options.Server!.PskStore = OneSuite.Server().Server!.PskStore;
        await using StreamServer server = await StreamServer.StartAsync(options);
        await using PeerProcess client = GnuTlsProgram.StartClient(server, priorities, [.. Trusts, .. GnuTlsProgram.WithKey()]);
        await AskAsync(client, server);
        client.Output.Mentions($"{description}-(AES-128-CCM-8)\n");
    }

    // The key of a certificate must be on a curve of the client (RFC 8422 section 5.3).
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_gnutls_client_with_P384_only_is_served_if_the_certificate_is_on_it(bool isOnIt)
    {
        using Certificates certificates = new(serverCurve: isOnIt ? ECCurve.NamedCurves.nistP384 : null);
        await using StreamServer server = await StreamServer.StartAsync(certificates.AsDtlsServer());
        await using PeerProcess client = GnuTlsProgram.StartClient(
            server, GnuTlsProgram.EcdsaCcm8 + ":-GROUP-ALL:+GROUP-SECP384R1", "--x509cafile", certificates.Authority);
        if (isOnIt)
        {
            await AskAsync(client, server);
            client.Output.Mentions("(ECDHE-SECP384R1)-(ECDSA-SHA384)-(AES-128-CCM-8)\n");
        }
        else
        {
            Assert.NotEqual(0, (await client.WaitForExitAsync()).ExitCode);
            client.Output.Mentions("*** Received alert [40]: Handshake failed");
        }
    }

    [Fact]
    public async Task A_gnutls_client_that_offers_unsupported_extensions_is_served()
    {
        await using StreamServer server = await StreamServer.StartAsync(_certificates.AsDtlsServer());
        await using PeerProcess client = GnuTlsProgram.StartClient(
            server, GnuTlsProgram.EcdsaCcm8 + ":-GROUP-ALL:+GROUP-X25519:+GROUP-SECP256R1",
            [
                "--alpn", "coap", "--heartbeat", "--recordsize", "512", "--srtp-profiles", "SRTP_AES128_CM_HMAC_SHA1_80",
                "--sni-hostname", "localhost", .. Trusts,
            ]);
        await AskAsync(client, server);
    }

    [Fact]
    [Rfc("6347-4.2.4-1")]
    public async Task A_handshake_with_a_gnutls_client_completes_although_fragments_are_lost()
    {
        await using StreamServer server = await StreamServer.StartAsync(LossyOptions(_certificates.AsDtlsServer(asksClients: true)));
        (LossyPath toServer, LossyPath toClient) = (LossyPath.ForFragments(), LossyPath.ForFragments());
        await using LossyRelay relay = new(new IPEndPoint(IPAddress.Loopback, new Uri(server.Uri("/")).Port), toServer, toClient);
        await using PeerProcess client = GnuTlsProgram.StartClient(
            relay.EndPoint.Port, GnuTlsProgram.EcdsaCcm8, [.. SmallMtuUnless(false), .. Trusts, .. ClientShows]);
        await Eventually.IsTrueAsync(() => server.Server.Counters[CoapCounter.ConnectionsAccepted] == 1);
        Assert.True(toClient.Lost > 0 && toServer.Lost > 0);
    }

    [Fact]
    public async Task A_gnutls_client_of_DTLS_1_0_reads_that_the_version_is_wrong()
    {
        await using StreamServer server = await StreamServer.StartAsync(OneSuite.Server());
        await using PeerProcess client = GnuTlsProgram.StartClient(
            server, "+PSK:+AES-128-CBC:+SHA1:-VERS-ALL:+VERS-DTLS1.0", GnuTlsProgram.WithKey());
        Assert.NotEqual(0, (await client.WaitForExitAsync()).ExitCode);
        client.Output.Mentions("*** Received alert [70]");
    }

    // A handshake that gets no further is silence to the client, too (RFC 6347 section 4.1.2.7).
    [Fact]
    [Rfc("7925-6-1")]
    public async Task A_gnutls_client_with_a_wrong_key_or_an_unknown_identity_gets_no_session()
    {
        await Refusals.InTimeAsync(async time =>
        {
            await using StreamServer server = await StreamServer.StartWithKeyAsync(time);
            await using PeerProcess wrong = GnuTlsProgram.StartClient(server, GnuTlsProgram.KeyCcm8, GnuTlsProgram.WithKey("anotherPSK"));
            await using PeerProcess unknown = GnuTlsProgram.StartClient(
                server, GnuTlsProgram.KeyCcm8, GnuTlsProgram.WithKey(identity: "nobody"));
            await server.WaitForFailuresAsync(2);
            Assert.Equal(0, server.Server.Counters[CoapCounter.ConnectionsAccepted]);
            (wrong.Output + unknown.Output).Omits("Handshake was completed");
            return server.Server.Counters[CoapCounter.HandshakesWithWrongKeys] == 1
                && server.Server.Counters[CoapCounter.HandshakesOfUnknownIdentities] == 1;
        });
    }

    [Fact]
    public async Task A_gnutls_client_reads_that_it_is_refused()
    {
        await using StreamServer server = await StreamServer.StartAsync(_certificates.AsDtlsServer(asksClients: true));
        await using PeerProcess without = GnuTlsProgram.StartClient(server, GnuTlsProgram.EcdsaCcm8, Trusts);
        Assert.NotEqual(0, (await without.WaitForExitAsync()).ExitCode);
        without.Output.Mentions("*** Received alert [40]: Handshake failed");
        Assert.Equal(1, server.Server.Counters[CoapCounter.CertificatesMissing]);
        await using PeerProcess stranger = GnuTlsProgram.StartClient(server, GnuTlsProgram.KeyCcm8, GnuTlsProgram.WithKey());
        Assert.NotEqual(0, (await stranger.WaitForExitAsync()).ExitCode);
        stranger.Output.Mentions("*** Received alert [40]: Handshake failed");
        Assert.Equal(1, server.Server.Counters[CoapCounter.HandshakesWithNothingInCommon]);
    }

    [Fact]
    public async Task A_gnutls_client_that_trusts_another_authority_ends_the_handshake()
    {
        using Certificates others = new();

        await using StreamServer server = await StreamServer.StartAsync(_certificates.AsDtlsServer());
        await using PeerProcess client = GnuTlsProgram.StartClient(server, GnuTlsProgram.EcdsaCcm8, "--x509cafile", others.Authority);
        Assert.NotEqual(0, (await client.WaitForExitAsync()).ExitCode);
        (client.Output + client.Errors).Mentions("PKI verification of server certificate failed");
        Assert.Equal(0, server.Server.Counters[CoapCounter.ConnectionsAccepted]);
    }

    [Fact]
    public async Task A_gnutls_client_ends_when_our_server_closes_the_session()
    {
        await using StreamServer server = await StreamServer.StartAsync(OneSuite.Server());
        await using PeerProcess client = GnuTlsProgram.StartClient(server, GnuTlsProgram.KeyCcm8, GnuTlsProgram.WithKey());
        await BareCoap.AskAsync(client);
        server.Server.Endpoint.Disconnect(static _ => true, "The test ends the session.");
        Assert.Equal(0, (await client.WaitForExitAsync()).ExitCode);
        client.Output.Mentions("- Peer has closed the GnuTLS connection");
    }

    [Fact]
    [Rfc("7925-17-1")]
    public async Task A_gnutls_client_is_refused_each_renegotiation_and_the_session_goes_on()
    {
        await using StreamServer server = await StreamServer.StartAsync(OneSuite.Server());
        await using PeerProcess client = GnuTlsProgram.StartClient(
            server, GnuTlsProgram.KeyCcm8, ["--rehandshake", .. GnuTlsProgram.WithKey()]);
        await client.WaitForLinesAsync(static line => line.Contains("No renegotiation is allowed - was received"), 2);
        Assert.Equal(0, server.Server.Counters[CoapCounter.ConnectionsClosed]);
    }

    [Theory]
    [MemberData(nameof(WithKeys))]
    [Rfc("7252-9.1.3.1-1")]
    public async Task Our_client_completes_a_PSK_handshake_with_a_gnutls_server_and_gets_an_answer(CoapDtlsCipherSuite suite, string cipher)
    {
        await using GnuTlsServer server = await GnuTlsServer.StartAsync($"+PSK:+{cipher}", KnowingKey());
        await server.AskAsync(OneSuite.Client(suite));
        server.Process.Errors.Mentions($"Selected cipher suite: GNUTLS_PSK_{cipher.Replace('-', '_')}");
    }

    [Theory]
    [MemberData(nameof(WithCertificates))]
    [Rfc("7252-9.1.3.3-1")]
    public async Task Our_client_and_a_gnutls_server_authenticate_with_certificates(CoapDtlsCipherSuite suite, string cipher)
    {
        await using GnuTlsServer server = await GnuTlsServer.StartAsync($"+ECDHE-ECDSA:+{cipher}", ServerAsks);
        await server.AskAsync(OneSuite.With(suite, _certificates.AsDtlsClient(showsItself: true)));
        server.Process.Errors.Mentions("CERTIFICATE VERIFY (15) was received");
    }

    [Fact]
    [Rfc("7252-9.1.3.2-1")]
    public async Task Our_client_and_a_gnutls_server_authenticate_with_raw_public_keys()
    {
        await using GnuTlsServer server = await GnuTlsServer.StartAsync(
            GnuTlsProgram.RawKeysCcm8, [.. ShowingKey(), "--require-client-cert"]);
        await server.AskAsync(OneSuite.With(CoapDtlsCipherSuite.EcdheEcdsaAes128Ccm8, new()
        {
            Client = new() { RawPublicKey = _ours, ValidateServerPublicKey = (_, key, _) => new(key.Span.SequenceEqual(TheirKey)) },
        }));
        server.Process.Errors.Mentions("Selected client certificate type Raw Public Key");
        server.Process.Errors.Mentions("CERTIFICATE VERIFY (15) was received");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [Rfc("6347-4.2.3-1")]
    public async Task Certificates_in_fragments_arrive_at_a_gnutls_server_and_from_it(bool isOurs)
    {
        await using GnuTlsServer server = await GnuTlsServer.StartAsync(
            GnuTlsProgram.EcdsaCcm8, [.. SmallMtuUnless(isOurs), .. ServerAsks]);
        await server.AskAsync(SmallDatagrams(_certificates.AsDtlsClient(showsItself: true), isOurs));
    }

    [Theory]
    [MemberData(nameof(Rare))]
    public async Task Our_client_gets_an_answer_of_a_gnutls_server_without_extensions_or_with_one_curve_or_hash(string priorities, string _)
    {
        await using GnuTlsServer server = await GnuTlsServer.StartAsync(priorities, [.. ServerShows, .. KnowingKey()]);
        CoapDtlsOptions options = _certificates.AsDtlsClient();
        options.Client!.Psk = OneSuite.Client().Client!.Psk;
        await server.AskAsync(options);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [Rfc("6347-4.2.1-1")]
    public async Task Our_client_returns_the_cookie_of_a_gnutls_server_that_asks_for_one(bool asks)
    {
        await using GnuTlsServer server = await GnuTlsServer.StartAsync(
            GnuTlsProgram.KeyCcm8, [.. asks ? (string[])[] : ["--nocookie"], .. KnowingKey()]);
        await server.AskAsync(OneSuite.Client());

        // Which ClientHello begins the handshake.
        string hello = await server.Process.WaitForLineAsync(static line => line.Contains("CLIENT HELLO (1) was received"));
        hello.Ends(asks ? "sequence: 1" : "sequence: 0");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Our_client_resumes_its_session_with_a_gnutls_server(bool usesTickets)
    {
        await using GnuTlsServer server = await GnuTlsServer.StartAsync(
            GnuTlsProgram.KeyCcm8, [.. usesTickets ? (string[])[] : ["--noticket"], .. KnowingKey()]);
        await using CoapServer client = await GnuTlsServer.StartClientAsync(OneSuite.Client());
        await server.AskAsync(client);
        client.Endpoint.Disconnect(static _ => true, "The test begins another session.");
        await server.WaitForAsync("Close notify - was received");
        await server.AskAsync(client);
        await server.WaitForAsync("FINISHED (20) was received", 2);
        Assert.Single(server.Process.Errors.Split('\n'), static line => line.Contains("CLIENT KEY EXCHANGE (16) was received"));
        Assert.Equal(usesTickets, server.Process.Errors.Contains("NEW SESSION TICKET", Ordinal));
    }

    [Fact]
    public async Task Our_client_refuses_a_gnutls_server_without_the_extended_master_secret_if_it_requires_that()
    {
        await using GnuTlsServer server = await GnuTlsServer.StartAsync(GnuTlsProgram.KeyCcm8 + ":%NO_SESSION_HASH", KnowingKey());
        await using CoapClient strict = new(new CoapEndpointOptions().UseDtls(OneSuite.Client()));
        CoapDtlsException refused = await Refusals.OfAsync(strict.GetAsync(server.Uri));
        Assert.Equal(CoapDtlsHandshakeFailure.NothingInCommon, refused.Reason);
        CoapDtlsOptions lenient = OneSuite.Client();
        lenient.RequireExtendedMasterSecret = false;
        await server.AskAsync(lenient);
    }

    [Fact]
    public async Task The_error_of_our_client_names_a_key_that_a_gnutls_server_does_not_have()
    {
        await Refusals.InTimeAsync(async time =>
        {
            await using GnuTlsServer server = await GnuTlsServer.StartAsync(GnuTlsProgram.KeyCcm8, KnowingKey("anotherPSK"));
            CoapDtlsOptions options = OneSuite.Client();
            options.HandshakeTimeout = time;
            await using CoapClient client = new(new CoapEndpointOptions().UseDtls(options));
            if ((await Refusals.OfAsync(client.GetAsync(server.Uri))).Reason != CoapDtlsHandshakeFailure.PreSharedKey)
            {
                return false;
            }

            await server.WaitForAsync("due to invalid decryption");
            return true;
        });
    }

    [Fact]
    [Rfc("6347-4.2.4-1")]
    public async Task A_handshake_of_our_client_with_a_gnutls_server_completes_although_fragments_are_lost()
    {
        await using GnuTlsServer server = await GnuTlsServer.StartAsync(GnuTlsProgram.EcdsaCcm8, [.. SmallMtuUnless(false), .. ServerAsks]);
        (LossyPath toServer, LossyPath toClient) = (LossyPath.ForFragments(), LossyPath.ForFragments());
        await using LossyRelay relay = new(new IPEndPoint(IPAddress.Loopback, new Uri(server.Uri).Port), toServer, toClient);
        await using CoapClient client = new(new CoapEndpointOptions().UseDtls(LossyOptions(_certificates.AsDtlsClient(showsItself: true))));
        _ = client.GetAsync(relay.Uri("/").Replace("coap:", "coaps:"));
        await Eventually.IsTrueAsync(() => client.Endpoint.Counters[CoapCounter.ConnectionsOpened] == 1);
        Assert.True(toClient.Lost > 0 && toServer.Lost > 0);
    }

    // It sends no alert, and repeated datagrams would keep it busy.
    [Fact]
    public async Task The_error_of_our_client_without_a_certificate_says_that_a_gnutls_server_fell_silent()
    {
        await Refusals.InTimeAsync(async time =>
        {
            CoapDtlsOptions options = _certificates.AsDtlsClient();
            options.RetransmitTimeout = TimeSpan.FromSeconds(60);
            options.HandshakeTimeout = time;
            await using GnuTlsServer server = await GnuTlsServer.StartAsync(GnuTlsProgram.EcdsaCcm8, ServerAsks);
            await using CoapClient client = new(new CoapEndpointOptions().UseDtls(options));
            CoapDtlsException refused = await Refusals.OfAsync(client.GetAsync(server.Uri));
            await server.WaitForAsync("Error in handshake(): No certificate was found.");
            return refused.Reason == CoapDtlsHandshakeFailure.TimedOut
                && refused.Message.Contains("fell silent after the certificates were exchanged", Ordinal);
        });
    }

    [Fact]
    public async Task A_gnutls_server_reads_that_our_client_trusts_another_authority()
    {
        using Certificates others = new();
        await using GnuTlsServer server = await GnuTlsServer.StartAsync(GnuTlsProgram.EcdsaCcm8, ServerAsks);
        await using CoapClient client = new(new CoapEndpointOptions().UseDtls(others.AsDtlsClient(showsItself: true)));
        Assert.Equal(CoapDtlsHandshakeFailure.NotTrusted, (await Refusals.OfAsync(client.GetAsync(server.Uri))).Reason);
        await server.WaitForAsync("Alert[2|42] - Certificate is bad - was received");
    }

    private static async Task AskAsync(PeerProcess client, StreamServer server)
    {
        await BareCoap.AskAsync(client);
        client.EndInput();
        Assert.Equal(0, (await client.WaitForExitAsync()).ExitCode);
        Assert.Equal(CoapError.Closed, (await server.WaitForEndAsync()).Reason.Error);
        client.Output.Mentions("- Peer has closed the GnuTLS connection");
    }

    private static CoapDtlsPeerIdentity IdentityAt(StreamServer server) => Assert.IsType<CoapDtlsPeerIdentity>(server.LastIdentity);

    private CoapDtlsOptions SmallDatagrams(CoapDtlsOptions options, bool areSmall)
    {
        Assert.All([_certificates.Server, _certificates.Client], static one => Assert.InRange(one.RawData.Length, SmallMtu, int.MaxValue));
        options.MaxDatagramSize = areSmall ? 256 : options.MaxDatagramSize;
        return options;
    }

    private CoapDtlsOptions LossyOptions(CoapDtlsOptions options)
    {
        options.RetransmitTimeout = TimeSpan.FromMilliseconds(200);
        options.HandshakeTimeout = PeerProcess.HangLimit;
        return SmallDatagrams(options, areSmall: true);
    }

    private static string[] SmallMtuUnless(bool isOurs) => isOurs ? [] : ["--mtu", $"{SmallMtu}"];

    private string[] ShowingKey()
    {
        File.WriteAllText(_files.PathOf("key.pem"), _theirs.ExportPkcs8PrivateKeyPem() + "\n");
        File.WriteAllText(_files.PathOf("public.pem"), _theirs.ExportSubjectPublicKeyInfoPem() + "\n");
        return ["--rawpkkeyfile", _files.PathOf("key.pem"), "--rawpkfile", _files.PathOf("public.pem")];
    }

    private string[] KnowingKey(string key = StreamServer.Key)
    {
        File.WriteAllText(_files.PathOf("keys"), $"{StreamServer.Identity}:{Convert.ToHexString(Encoding.ASCII.GetBytes(key))}\n");
        return ["--pskpasswd", _files.PathOf("keys"), "--pskhint", "kitchen"];
    }
}
