using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Interop.Tests;

/// <summary>
/// <c>openssl s_client</c> with our server, and <c>openssl s_server</c> with our client, over DTLS 1.2. OpenSSL has no suite of ECDHE_PSK
/// with AES-CCM or AES-GCM, no Connection IDs, and raw public keys only from 3.2 on. Its server never sends a close_notify first.
/// </summary>
[External(OpenSslProgram.Name)]
public sealed class OpenSslProgramTests : IDisposable
{
    private const int SmallMtu = 300;

    private readonly Certificates _certificates = new();
    private readonly TemporaryDirectory _files = new();

    public static TheoryData<CoapDtlsCipherSuite, string> WithKeys => new()
    {
        { CoapDtlsCipherSuite.PskAes128Ccm8, "PSK-AES128-CCM8" },
        { CoapDtlsCipherSuite.PskAes256Ccm8, "PSK-AES256-CCM8" },
        { CoapDtlsCipherSuite.PskAes128Ccm, "PSK-AES128-CCM" },
        { CoapDtlsCipherSuite.PskAes256Ccm, "PSK-AES256-CCM" },
        { CoapDtlsCipherSuite.PskAes128GcmSha256, "PSK-AES128-GCM-SHA256" },
        { CoapDtlsCipherSuite.PskAes256GcmSha384, "PSK-AES256-GCM-SHA384" },
    };

    public static TheoryData<CoapDtlsCipherSuite, string> WithCertificates => new()
    {
        { CoapDtlsCipherSuite.EcdheEcdsaAes128Ccm8, "ECDHE-ECDSA-AES128-CCM8" },
        { CoapDtlsCipherSuite.EcdheEcdsaAes256Ccm8, "ECDHE-ECDSA-AES256-CCM8" },
        { CoapDtlsCipherSuite.EcdheEcdsaAes128Ccm, "ECDHE-ECDSA-AES128-CCM" },
        { CoapDtlsCipherSuite.EcdheEcdsaAes256Ccm, "ECDHE-ECDSA-AES256-CCM" },
        { CoapDtlsCipherSuite.EcdheEcdsaAes128GcmSha256, "ECDHE-ECDSA-AES128-GCM-SHA256" },
        { CoapDtlsCipherSuite.EcdheEcdsaAes256GcmSha384, "ECDHE-ECDSA-AES256-GCM-SHA384" },
    };

    private string[] ClientTrusts => ["-CAfile", _certificates.Authority, "-verify_return_error", "-verify_ip", "127.0.0.1"];

    private string[] ClientShows => ["-cert", _certificates.ClientFile, "-key", _certificates.ClientKey];

    private string[] ServerShows => ["-cert", _certificates.ServerFile, "-key", _certificates.ServerKey];

    private string[] ServerAsks => [.. ServerShows, "-Verify", "1", "-verify_return_error", "-CAfile", _certificates.Authority];

    public void Dispose()
    {
        _certificates.Dispose();
        _files.Dispose();
    }

    [Theory]
    [MemberData(nameof(WithKeys))]
    [Rfc("7252-9.1.3.1-1")]
    public async Task An_openssl_client_completes_a_PSK_handshake_and_gets_an_answer(CoapDtlsCipherSuite suite, string name)
    {
        await using StreamServer server = await StreamServer.StartAsync(OneSuite.Server(suite));
        await using PeerProcess client = OpenSslProgram.StartClient(server, OpenSslProgram.WithKey(name));
        await AskAsync(client, server);
        Assert.Equal(StreamServer.Identity, IdentityAt(server).PskIdentity);
        client.Output.Mentions($"    Cipher    : {name}\n");
        client.Output.Mentions("    Extended master secret: yes\n");
        client.Errors.Mentions("read hello verify request");
    }

    [Theory]
    [MemberData(nameof(WithCertificates))]
    [Rfc("7252-9.1.3.3-1")]
    public async Task An_openssl_client_and_our_server_authenticate_with_certificates(CoapDtlsCipherSuite suite, string name)
    {
        CoapDtlsOptions options = OneSuite.With(suite, _certificates.AsDtlsServer(asksClients: true));
        await using StreamServer server = await StreamServer.StartAsync(options);
        await using PeerProcess client = OpenSslProgram.StartClient(server, ["-cipher", name, .. ClientTrusts, .. ClientShows]);
        await AskAsync(client, server);
        Assert.Equal("CN=device-7", IdentityAt(server).Certificate!.Subject);
        client.Output.Mentions($"    Cipher    : {name}\n");
        client.Output.Mentions("    Verify return code: 0 (ok)\n");
    }

    [Theory]
    [InlineData("rsa:2048")]
    [InlineData("ec", "-pkeyopt", "ec_paramgen_curve:P-384")]
    public async Task An_openssl_client_with_a_certificate_of_another_kind_is_served(params string[] kind)
    {
        (string key, string certificate) = (_files.PathOf("key.pem"), _files.PathOf("certificate.pem"));
        await using (PeerProcess maker = PeerProcess.Start(OpenSslProgram.Name,
            ["req", "-x509", "-nodes", "-subj", "/CN=other", "-keyout", key, "-out", certificate, "-newkey", .. kind]))
        {
            await maker.WaitForExitAsync();
        }

        using X509Certificate2 known = X509CertificateLoader.LoadCertificateFromFile(certificate);
        CoapDtlsOptions options = _certificates.AsDtlsServer();
        options.Server!.RequireClientCertificate = true;
        options.Server.ValidateClientCertificate = (leaf, _, _, _) => new(leaf.RawData.AsSpan().SequenceEqual(known.RawData));
        await using StreamServer server = await StreamServer.StartAsync(options);
        await using PeerProcess client = OpenSslProgram.StartClient(server, [.. ClientTrusts, "-cert", certificate, "-key", key]);
        await AskAsync(client, server);
        Assert.Equal("CN=other", IdentityAt(server).Certificate!.Subject);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [Rfc("6347-4.2.3-1")]
    public async Task Certificates_in_fragments_arrive_at_an_openssl_client_and_from_it(bool isOurs)
    {
        CoapDtlsOptions options = SmallDatagrams(_certificates.AsDtlsServer(asksClients: true), isOurs);
        await using StreamServer server = await StreamServer.StartAsync(options);
        await using PeerProcess client = OpenSslProgram.StartClient(server, [.. SmallMtuUnless(isOurs), .. ClientTrusts, .. ClientShows]);
        await AskAsync(client, server);
        Assert.Equal(_certificates.Client.RawData, IdentityAt(server).Certificate!.RawData);
    }

    [Fact]
    public async Task An_openssl_client_resumes_the_session_of_another_process()
    {
        await using StreamServer server = await StreamServer.StartAsync(OneSuite.Server());
        string session = _files.PathOf("session");
        await using (PeerProcess first = OpenSslProgram.StartClient(server, ["-sess_out", session, .. OpenSslProgram.WithKey()]))
        {
            await AskAsync(first, server);
            first.Output.Mentions("\nNew, ");
        }

        await using PeerProcess second = OpenSslProgram.StartClient(server, ["-sess_in", session, .. OpenSslProgram.WithKey()]);
        await AskAsync(second, server);
        second.Output.Mentions("\nReused, ");
    }

    [Fact]
    public async Task An_openssl_client_that_reconnects_five_times_resumes_each_time()
    {
        await using StreamServer server = await StreamServer.StartAsync(OneSuite.Server());
        await using PeerProcess client = OpenSslProgram.StartClient(server, ["-reconnect", .. OpenSslProgram.WithKey()]);
        await client.WaitForLinesAsync(static line => line.StartsWith("Reused, ", Ordinal), 5);
        await AskAsync(client, server);
    }

    [Fact]
    public async Task An_openssl_client_whose_session_the_server_forgot_gets_a_new_session()
    {
        string session = _files.PathOf("session");
        await using (StreamServer before = await StreamServer.StartAsync(OneSuite.Server()))
        {
            await using PeerProcess first = OpenSslProgram.StartClient(before, ["-sess_out", session, .. OpenSslProgram.WithKey()]);
            await AskAsync(first, before);
        }

        await using StreamServer server = await StreamServer.StartAsync(OneSuite.Server());
        await using PeerProcess second = OpenSslProgram.StartClient(server, ["-sess_in", session, .. OpenSslProgram.WithKey()]);
        await AskAsync(second, server);
        second.Output.Mentions("\nNew, ");
    }

    [Fact]
    public async Task An_openssl_client_that_offers_unsupported_extensions_is_served()
    {
        await using StreamServer server = await StreamServer.StartAsync(_certificates.AsDtlsServer());
        await using PeerProcess client = OpenSslProgram.StartClient(server,
            [
                "-alpn", "coap", "-servername", "localhost", "-status", "-maxfraglen", "512", "-use_srtp", "SRTP_AES128_CM_SHA1_80",
                "-groups", "X25519:X448:P-521:P-256", .. ClientTrusts,
            ]);
        await AskAsync(client, server);
    }

    [Fact]
    public async Task The_key_logs_of_an_openssl_client_and_of_our_server_are_the_same()
    {
        (string theirs, string ours) = (_files.PathOf("their-keys"), _files.PathOf("our-keys"));
        CoapDtlsOptions options = OneSuite.Server();
        options.KeyLogFile = ours;
        await using StreamServer server = await StreamServer.StartAsync(options);
        await using PeerProcess client = OpenSslProgram.StartClient(server, ["-keylogfile", theirs, .. OpenSslProgram.WithKey()]);
        await AskAsync(client, server);
        string line = Assert.Single(await File.ReadAllLinesAsync(ours));
        line.Begins("CLIENT_RANDOM ");
        Assert.Contains(line, await File.ReadAllLinesAsync(theirs), StringComparer.OrdinalIgnoreCase);
    }

    [Fact]
    [Rfc("6347-4.2.4-1")]
    public async Task A_handshake_with_an_openssl_client_completes_although_fragments_are_lost()
    {
        await using StreamServer server = await StreamServer.StartAsync(LossyOptions(_certificates.AsDtlsServer(asksClients: true)));
        (LossyPath toServer, LossyPath toClient) = (LossyPath.ForFragments(), LossyPath.ForFragments());
        await using LossyRelay relay = new(new IPEndPoint(IPAddress.Loopback, new Uri(server.Uri("/")).Port), toServer, toClient);
        await using PeerProcess client = OpenSslProgram.StartClient(
            server, [.. SmallMtuUnless(false), .. ClientTrusts, .. ClientShows, "-connect", relay.EndPoint.ToString()]);
        await Eventually.IsTrueAsync(() => server.Server.Counters[CoapCounter.ConnectionsAccepted] == 1);
        Assert.True(toClient.Lost > 0 && toServer.Lost > 0);
    }

    [Fact]
    public async Task An_openssl_client_of_DTLS_1_0_reads_that_the_version_is_wrong()
    {
        await using StreamServer server = await StreamServer.StartAsync(OneSuite.Server());
        await using PeerProcess client = OpenSslProgram.StartClient(
            server, [.. OpenSslProgram.WithKey("PSK:@SECLEVEL=0"), "-dtls1"]);
        Assert.NotEqual(0, (await client.WaitForExitAsync()).ExitCode);
        client.Errors.Mentions("alert protocol version");
    }

    // A handshake that gets no further is silence to the client, too (RFC 6347 section 4.1.2.7): it would wait for minutes.
    [Fact]
    [Rfc("7925-6-1")]
    public async Task An_openssl_client_with_a_wrong_key_or_an_unknown_identity_gets_no_session()
    {
        await Refusals.InTimeAsync(async time =>
        {
            await using StreamServer server = await StreamServer.StartWithKeyAsync(time);
            await using PeerProcess wrong = OpenSslProgram.StartClient(server, OpenSslProgram.WithKey(key: "anotherPSK"));
            await using PeerProcess unknown = OpenSslProgram.StartClient(server, OpenSslProgram.WithKey(identity: "nobody"));
            await server.WaitForFailuresAsync(2);
            Assert.Equal(0, server.Server.Counters[CoapCounter.ConnectionsAccepted]);
            (wrong.Output + unknown.Output).Omits("Cipher is PSK");
            return server.Server.Counters[CoapCounter.HandshakesWithWrongKeys] == 1
                && server.Server.Counters[CoapCounter.HandshakesOfUnknownIdentities] == 1;
        });
    }

    [Fact]
    public async Task An_openssl_client_without_a_required_certificate_reads_that_it_is_refused()
    {
        await using StreamServer server = await StreamServer.StartAsync(_certificates.AsDtlsServer(asksClients: true));
        await RefusalAsync(server, ClientTrusts);
        Assert.Equal(1, server.Server.Counters[CoapCounter.CertificatesMissing]);
    }

    [Theory]
    [InlineData("-cipher", "ECDHE-ECDSA-AES256-GCM-SHA384")]
    [InlineData("-groups", "X25519:P-521")]
    [InlineData("-sigalgs", "RSA+SHA256")]
    public async Task An_openssl_client_without_a_suite_a_curve_or_a_signature_of_our_server_reads_that_it_is_refused(params string[] offer)
    {
        await using StreamServer server = await StreamServer.StartAsync(_certificates.AsDtlsServer());
        await RefusalAsync(server, [.. ClientTrusts, .. offer]);
        Assert.Equal(1, server.Server.Counters[CoapCounter.HandshakesWithNothingInCommon]);
    }

    [Fact]
    public async Task An_openssl_client_that_trusts_another_authority_ends_the_handshake()
    {
        using Certificates others = new();

        await using StreamServer server = await StreamServer.StartAsync(_certificates.AsDtlsServer());
        await using PeerProcess client = OpenSslProgram.StartClient(server, "-CAfile", others.Authority, "-verify_return_error");
        (await client.WaitForExitAsync()).Errors.Mentions("certificate verify failed");
        Assert.Equal(0, server.Server.Counters[CoapCounter.ConnectionsAccepted]);
    }

    [Fact]
    public async Task An_openssl_client_ends_when_our_server_closes_the_session()
    {
        await using StreamServer server = await StreamServer.StartAsync(OneSuite.Server());
        await using PeerProcess client = OpenSslProgram.StartClient(server, OpenSslProgram.WithKey());
        await BareCoap.AskAsync(client);
        server.Server.Endpoint.Disconnect(static _ => true, "The test ends the session.");
        Assert.Equal(0, (await client.WaitForExitAsync()).ExitCode);
        client.Errors.Mentions("SSL3 alert read:warning:close notify");
    }

    [Fact]
    [Rfc("7925-17-1")]
    public async Task An_openssl_client_is_refused_a_renegotiation_and_ends_the_session()
    {
        await using StreamServer server = await StreamServer.StartAsync(OneSuite.Server());
        await using PeerProcess client = OpenSslProgram.StartClientWithCommands(server, OpenSslProgram.WithKey());
        await BareCoap.AskAsync(client);
        await client.WriteAsync("R\n"u8.ToArray());
        (await client.WaitForExitAsync()).Errors.Mentions("SSL3 alert read:warning:no renegotiation");
        (await server.WaitForEndAsync()).Reason.Message.Mentions("fatal alert");
    }

    [Theory]
    [MemberData(nameof(WithKeys))]
    [Rfc("7252-9.1.3.1-1")]
    public async Task Our_client_completes_a_PSK_handshake_with_an_openssl_server_and_gets_an_answer(CoapDtlsCipherSuite suite, string name)
    {
        await using OpenSslServer server = await OpenSslServer.StartAsync(
            ["-nocert", "-psk_hint", "kitchen", .. OpenSslProgram.WithKey(name)]);
        string? hint = null;
        CoapDtlsOptions options = OneSuite.Client(suite);
        (CoapPskCredential? key, options.Client!.Psk) = (options.Client.Psk, null);
        options.Client.SelectPsk = (asked, _) =>
        {
            hint = asked.IdentityHint;
            return new(key);
        };
        await AskAsync(server, options);
        Assert.Equal("kitchen", hint);
        server.Process.Output.Mentions($"CIPHER is {name}\n");
    }

    [Theory]
    [MemberData(nameof(WithCertificates))]
    [Rfc("7252-9.1.3.3-1")]
    public async Task Our_client_and_an_openssl_server_authenticate_with_certificates(CoapDtlsCipherSuite suite, string name)
    {
        await using OpenSslServer server = await OpenSslServer.StartAsync(["-cipher", name, .. ServerAsks]);
        await AskAsync(server, OneSuite.With(suite, _certificates.AsDtlsClient(showsItself: true)));
        server.Process.Output.Mentions($"CIPHER is {name}\n");
        Assert.Matches("\nsubject=CN ?= ?device-7\n", server.Process.Output);
    }

    [Fact]
    public async Task Our_client_agrees_on_P384_with_an_openssl_server()
    {
        await using OpenSslServer server = await OpenSslServer.StartAsync(["-curves", "P-384", .. ServerShows]);
        await AskAsync(server, _certificates.AsDtlsClient());
        server.Process.Output.Mentions("Shared groups: secp384r1\n");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [Rfc("6347-4.2.3-1")]
    public async Task Certificates_in_fragments_arrive_at_an_openssl_server_and_from_it(bool isOurs)
    {
        await using OpenSslServer server = await OpenSslServer.StartAsync([.. SmallMtuUnless(isOurs), .. ServerAsks]);
        await AskAsync(server, SmallDatagrams(_certificates.AsDtlsClient(showsItself: true), isOurs));
        Assert.Matches("\nsubject=CN ?= ?device-7\n", server.Process.Output);
    }

    // With -listen the server remembers nothing before it has the cookie.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [Rfc("6347-4.2.1-1")]
    public async Task Our_client_returns_the_cookie_of_an_openssl_server(bool isStateless)
    {
        await using OpenSslServer server = await OpenSslServer.StartAsync(
            ["-nocert", .. isStateless ? (string[])["-listen"] : [], .. OpenSslProgram.WithKey()]);
        await AskAsync(server, OneSuite.Client());
        Assert.Equal(!isStateless, server.Process.Errors.Contains("write hello verify request", Ordinal));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Our_client_resumes_its_session_with_an_openssl_server(bool usesTickets)
    {
        await using OpenSslServer server = await OpenSslServer.StartAsync(
            ["-nocert", .. usesTickets ? (string[])[] : ["-no_ticket"], .. OpenSslProgram.WithKey()]);
        await using CoapClient client = new(new CoapEndpointOptions().UseDtls(OneSuite.Client()));
        await AskAsync(server, client);
        client.Endpoint.Disconnect(static _ => true, "The test begins another session.");
        await server.Process.WaitForLineAsync(static line => line == "DONE");
        await AskAsync(server, client);
        server.Process.Output.Mentions("\nReused session-id\n");
        Assert.Equal(usesTickets, server.Process.Errors.Contains("write session ticket", Ordinal));
    }

    [Fact]
    public async Task The_error_of_our_client_names_a_key_that_an_openssl_server_does_not_have()
    {
        await Refusals.InTimeAsync(async time =>
        {
            await using OpenSslServer server = await OpenSslServer.StartAsync(["-nocert", .. OpenSslProgram.WithKey(key: "anotherPSK")]);
            CoapDtlsOptions options = OneSuite.Client();
            options.HandshakeTimeout = time;
            await using CoapClient client = new(new CoapEndpointOptions().UseDtls(options));
            CoapDtlsException refused = await Refusals.OfAsync(client.GetAsync(server.Uri));
            server.Process.Output.Omits("CIPHER is");
            return refused.Reason == CoapDtlsHandshakeFailure.PreSharedKey;
        });
    }

    [Fact]
    public async Task Our_client_and_an_openssl_server_read_why_they_refuse_each_other()
    {
        using Certificates others = new();
        await using OpenSslServer server = await OpenSslServer.StartAsync(ServerAsks);
        await using CoapClient without = new(new CoapEndpointOptions().UseDtls(_certificates.AsDtlsClient()));
        Assert.Equal(CoapDtlsHandshakeFailure.NoCredentials, (await Refusals.OfAsync(without.GetAsync(server.Uri))).Reason);
        await server.Process.WaitForLineAsync(static line => line.Contains("peer did not return a certificate", Ordinal));
        await using CoapClient distrusts = new(new CoapEndpointOptions().UseDtls(others.AsDtlsClient(showsItself: true)));
        Assert.Equal(CoapDtlsHandshakeFailure.NotTrusted, (await Refusals.OfAsync(distrusts.GetAsync(server.Uri))).Reason);
        await server.Process.WaitForLineAsync(static line => line.Contains("alert bad certificate", Ordinal));
    }

    [Fact]
    public async Task Our_client_says_that_an_openssl_server_of_DTLS_1_0_has_another_version()
    {
        await using OpenSslServer server = await OpenSslServer.StartAsync(
            ["-dtls1", "-nocert", .. OpenSslProgram.WithKey("PSK:@SECLEVEL=0")]);
        await using CoapClient client = new(new CoapEndpointOptions().UseDtls(OneSuite.Client()));
        CoapDtlsException refused = await Refusals.OfAsync(client.GetAsync(server.Uri));
        Assert.Equal(CoapDtlsHandshakeFailure.NothingInCommon, refused.Reason);
        refused.Message.Mentions("no cipher suite or version in common");
    }

    [Fact]
    [Rfc("6347-4.2.4-1")]
    public async Task A_handshake_of_our_client_with_an_openssl_server_completes_although_fragments_are_lost()
    {
        await using OpenSslServer server = await OpenSslServer.StartAsync([.. SmallMtuUnless(false), .. ServerAsks]);
        (LossyPath toServer, LossyPath toClient) = (LossyPath.ForFragments(), LossyPath.ForFragments());
        await using LossyRelay relay = new(new IPEndPoint(IPAddress.Loopback, new Uri(server.Uri).Port), toServer, toClient);
        await using CoapClient client = new(new CoapEndpointOptions().UseDtls(LossyOptions(_certificates.AsDtlsClient(showsItself: true))));
        _ = client.GetAsync(relay.Uri("/").Replace("coap:", "coaps:"));
        await Eventually.IsTrueAsync(() => client.Endpoint.Counters[CoapCounter.ConnectionsOpened] == 1);
        Assert.True(toClient.Lost > 0 && toServer.Lost > 0);
    }

    [Fact]
    [Rfc("7925-17-1")]
    public async Task Our_client_refuses_a_renegotiation_after_which_an_openssl_server_ends_the_session()
    {
        await using OpenSslServer server = await OpenSslServer.StartAsync(["-nocert", .. OpenSslProgram.WithKey()]);
        await using CoapClient client = new(new CoapEndpointOptions().UseDtls(OneSuite.Client()));
        TaskCompletionSource<CoapDisconnection> ended = new(RunContinuationsAsynchronously);
        client.Endpoint.PeerDisconnected += (_, end) => ended.TrySetResult(end);
        await AskAsync(server, client);
        await server.Process.WriteAsync("r\n"u8.ToArray());
        await server.Process.WaitForLineAsync(static line => line.EndsWith("read:warning:no renegotiation", Ordinal));
        (await Within(ended.Task)).Reason.Message.Mentions("fatal alert");
    }

    private static async Task AskAsync(PeerProcess client, StreamServer server)
    {
        await BareCoap.AskAsync(client);
        client.EndInput();
        Assert.Equal(0, (await client.WaitForExitAsync()).ExitCode);
        Assert.Equal(CoapError.Closed, (await server.WaitForEndAsync()).Reason.Error);
    }

    private static async Task AskAsync(OpenSslServer server, CoapDtlsOptions options)
    {
        await using (CoapClient client = new(new CoapEndpointOptions().UseDtls(options)))
        {
            await AskAsync(server, client);
        }

        await server.Process.WaitForLineAsync(static line => line.Contains("alert read:warning:close notify", Ordinal));
    }

    private static async Task AskAsync(OpenSslServer server, CoapClient client)
    {
        Task<CoapResponse> asked = client.PostAsync(server.Uri, BareCoap.Body);

        // The error of the client says more than a server that was not asked.
        await Within(Task.WhenAny(asked, server.AnswerAsync())).Unwrap();
        Assert.Equal(BareCoap.Hello, (await Within(asked)).GetText());
    }

    private static async Task RefusalAsync(StreamServer server, string[] arguments)
    {
        await using PeerProcess client = OpenSslProgram.StartClient(server, arguments);
        await client.WaitForLineAsync(static line => line.Contains("alert handshake failure", Ordinal));
        await server.WaitForFailuresAsync();
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

    private static string[] SmallMtuUnless(bool isOurs) => isOurs ? [] : ["-mtu", $"{SmallMtu}"];
}
