namespace CoAP.NET.Hosting.Tests.Configuration;

/// <summary>Keys and certificates of configuration, in real sessions of coaps.</summary>
public sealed class DtlsFileTests : FolderHostTest
{
    private readonly TlsCertificates _certificates = new();

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _certificates.Dispose();
    }

    [Theory]
    [InlineData("meter-7", "0x0102030405060708090a0b0c0d0e0f10")]
    [InlineData("meter-8", "words of a key")]
    [InlineData("urn:dev:ow:10e2073a", "0x01")]
    public async Task Clients_are_accepted_with_keys_from_a_file_and_from_configuration(string identity, string key)
    {
        IHost host = await StartAsync(
        [
            ("Coap:Server:Dtls:PskFile", NewFile("# devices\nmeter-7:0x0102030405060708090a0b0c0d0e0f10\n")),
            ("Coap:Server:Dtls:Psk:meter-8", "words of a key"), ("Coap:Server:Dtls:Psk:urn:dev:ow:10e2073a", "0x01"),
            ("Coap:Server:Dtls:PskIdentityHint", "all"),
            ("Coap:Client:Dtls:PskIdentity", identity), ("Coap:Client:Dtls:PskKey", key),
        ]);
        Assert.Equal(identity, await AskAsync(host));
        Assert.DoesNotContain(Logged.Entries,
            entry => entry.Text.Contains(key, StringComparison.OrdinalIgnoreCase)
                || entry.Text.Contains("0102030405060708", Ordinal));
    }

    [Fact]
    public async Task A_client_with_a_wrong_key_is_refused()
    {
        IHost host = await StartAsync(
        [
            ("Coap:Server:Dtls:Psk:meter", "right"), ("Coap:Client:Dtls:PskIdentity", "meter"), ("Coap:Client:Dtls:PskKey", "wrong"),
            ("Coap:Client:Dtls:HandshakeTimeout", "500ms"),
        ]);

        // Which error it is says how far the handshake came in that time.
        await Assert.ThrowsAsync<CoapConnectionException>(() => AskAsync(host));
    }

    [Theory]
    [InlineData("None", false, "unknown")]
    [InlineData("None", true, "unknown")]
    [InlineData("Optional", false, "unknown")]
    [InlineData("Optional", true, "CN=meter")]
    [InlineData("Required", true, "CN=meter")]
    public async Task Client_certificates_are_requested_as_configured(string mode, bool hasCertificate, string expected)
    {
        IHost host = await StartAsync(
            [.. WithCertificates(mode), .. hasCertificate ? WritePem("Coap:Client:Dtls", _certificates.Client("meter")) : []]);
        Assert.Equal(expected, await AskAsync(host));
    }

    [Theory]
    [InlineData("Required", false)]
    [InlineData("Optional", true)]
    public async Task Clients_with_a_missing_required_certificate_or_an_untrusted_certificate_are_refused(string mode, bool hasStrange)
    {
        using TlsCertificates strangers = new("CN=Strangers");
        IHost host = await StartAsync(
            [.. WithCertificates(mode), .. hasStrange ? WritePem("Coap:Client:Dtls", strangers.Client("meter")) : [],
                ("Coap:Client:Dtls:HandshakeTimeout", "2s")]);
        await Assert.ThrowsAnyAsync<CoapException>(() => AskAsync(host));
    }

    [Fact]
    public async Task A_PFX_file_and_other_settings_are_applied()
    {
        string path = Path.Combine(Folder, "server.pfx");
        File.WriteAllBytes(path, _certificates.Server(["127.0.0.1"]).Export(X509ContentType.Pfx, "secret"));
        IHost host = await StartAsync(
        [
            ("Coap:Server:Dtls:Certificate", path), ("Coap:Server:Dtls:Password", "secret"),
            ("Coap:Server:Dtls:CipherSuites", "EcdheEcdsaAes128GcmSha256"),
            ("Coap:Server:Dtls:UseConnectionIds", "false"),
            ("Coap:Client:Dtls:Authorities", NewFile(_certificates.Authority.ExportCertificatePem())),
        ]);
        Assert.Equal("unknown", await AskAsync(host));
        Assert.Equal("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 False", await AskAsync(host, "/suite"));
    }

    [Fact]
    public async Task A_client_without_settings_trusts_only_the_authorities_of_the_system()
    {
        IHost host = await StartAsync([.. WritePem("Coap:Server:Dtls", _certificates.Server(["127.0.0.1"]))]);
        CoapConnectionException refused = await Assert.ThrowsAsync<CoapConnectionException>(() => AskAsync(host));
        Assert.Equal(CoapError.HandshakeFailed, refused.Error);
    }

    private (string Key, string? Value)[] WithCertificates(string mode)
    {
        string authority = NewFile(_certificates.Authority.ExportCertificatePem());
        return
        [
            .. WritePem("Coap:Server:Dtls", _certificates.Server(["127.0.0.1"])), ("Coap:Server:Dtls:ClientCertificates", mode),
            ("Coap:Server:Dtls:Authorities", authority), ("Coap:Client:Dtls:Authorities", authority),
        ];
    }

    private async Task<IHost> StartAsync((string Key, string? Value)[] settings)
    {
        HostApplicationBuilder builder = Builder([("Coap:Server:Endpoints", "coaps://127.0.0.1:0"), .. settings]);
        ICoapServerBuilder server = builder.Services.AddCoapServer().UseDtls();
        server.MapGet("/who",
            request => request.Peer.Identity is CoapDtlsPeerIdentity identity
                ? identity.PskIdentity ?? identity.Certificate?.Subject ?? identity.ToString()
                : "none");
        server.MapGet("/suite",
            request => request.Peer.Identity is CoapDtlsPeerIdentity identity
                ? $"{identity.CipherSuite} {identity.HasConnectionId}" : "none");
        builder.Services.AddCoapClient().UseDtls();
        return await StartAsync(builder);
    }

    private static async Task<string> AskAsync(IHost host, string path = "/who") =>
        (await Within(host.Services.GetRequiredService<ICoapClient>().GetAsync(AddressOf(host) + path))).EnsureSuccess().GetText();

    private IEnumerable<(string Key, string? Value)> WritePem(string section, X509Certificate2 certificate)
    {
        using ECDsa key = certificate.GetECDsaPrivateKey()!;
        yield return ($"{section}:Certificate", NewFile(certificate.ExportCertificatePem()));
        yield return ($"{section}:Key", NewFile(key.ExportPkcs8PrivateKeyPem()));
    }
}
