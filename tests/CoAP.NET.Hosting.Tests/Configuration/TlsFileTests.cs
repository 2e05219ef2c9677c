using CoAP.NET.Diagnostics;
using CoAP.NET.Hosting.Configuration;

namespace CoAP.NET.Hosting.Tests.Configuration;

/// <summary>Certificates of files, on real connections.</summary>
public sealed class TlsFileTests : FolderHostTest
{
    private readonly TlsCertificates _certificates = new();

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _certificates.Dispose();
    }

    [Theory]
    [InlineData(false, null)]
    [InlineData(false, "secret")]
    [InlineData(true, null)]
    [InlineData(true, "secret")]
    public async Task A_server_authenticates_with_a_PEM_or_PFX_file_with_or_without_a_password(bool isPfx, string? password)
    {
        X509Certificate2 server = _certificates.Server(["127.0.0.1"]);
        (string Key, string? Value)[] files = isPfx
            ? [("Coap:Server:Tls:Certificate", WritePfx(server, password)), ("Coap:Server:Tls:Password", password)]
            : [.. WritePem("Coap:Server:Tls", server, password)];
        IHost host = await StartAsync([.. files]);
        Assert.Equal("none", await AskAsync(host));
    }

    [Theory]
    [InlineData("None", false, "none")]
    [InlineData("None", true, "none")]
    [InlineData("Optional", false, "none")]
    [InlineData("Optional", true, "CN=meter")]
    [InlineData("Required", true, "CN=meter")]
    public async Task Client_certificates_are_requested_as_configured(string mode, bool hasCertificate, string expected)
    {
        IHost host = await StartAsync(
            [.. WithClientCertificates(mode), .. hasCertificate ? WritePem("Coap:Client:Tls", _certificates.Client("meter")) : []]);
        Assert.Equal(expected, await AskAsync(host));
    }

    [Theory]
    [InlineData("Required", false)]
    [InlineData("Required", true)]
    [InlineData("Optional", true)]
    public async Task Clients_with_a_missing_required_certificate_or_an_untrusted_certificate_are_refused(string mode, bool hasStrange)
    {
        using TlsCertificates strangers = new("CN=Strangers");
        IHost host = await StartAsync(
            [.. WithClientCertificates(mode), .. hasStrange ? WritePem("Coap:Client:Tls", strangers.Client("meter")) : []]);
        await Assert.ThrowsAnyAsync<CoapException>(() => AskAsync(host));
    }

    [Theory]
    [InlineData("Required", "NoCheck")]
    [InlineData("Optional", "NoCheck")]
    [InlineData("Required", "Online")]
    public async Task A_server_fetches_no_URL_of_an_untrusted_certificate(string mode, string revocation)
    {
        using IssuerTrap trap = new();
        using TlsCertificates strangers = new("CN=Strangers");
        IHost host = await StartAsync(
        [
            .. WithClientCertificates(mode), ("Coap:Server:Tls:Revocation", revocation),
            .. WritePem("Coap:Client:Tls", strangers.Client("meter", trap.Url)),
        ]);

        await Assert.ThrowsAnyAsync<CoapException>(() => AskAsync(host));

        // The client may try a second time.
        CoapServer server = host.Services.GetRequiredKeyedService<CoapServer>("");
        await Eventually.IsTrueAsync(() => server.Counters[CoapCounter.HandshakesFailed] > 0);
        Assert.False(trap.WasVisited);
    }

    [Theory]
    [InlineData("NoCheck")]
    [InlineData("Online")]
    public async Task A_client_fetches_no_URL_of_an_untrusted_certificate(string revocation)
    {
        using IssuerTrap trap = new();
        using TlsCertificates strangers = new("CN=Strangers");
        IHost host = await StartAsync(
            [.. WritePem("Coap:Server:Tls", strangers.Server(["127.0.0.1"], issuerAt: trap.Url)),
                ("Coap:Client:Tls:Revocation", revocation)]);

        CoapConnectionException exception = await Assert.ThrowsAsync<CoapConnectionException>(() => AskAsync(host));

        Assert.Equal(CoapError.HandshakeFailed, exception.Error);
        Assert.False(trap.WasVisited);
    }

    [Fact]
    public void Certificate_chains_must_end_at_the_named_authorities_and_are_built_without_downloads()
    {
        string authorities = NewFile(_certificates.Authority.ExportCertificatePem());
        CoapTlsFileOptions files = new()
        {
            Certificate = WritePfx(_certificates.Server(["a"]), null),
            Authorities = authorities,
            ClientCertificates = CoapClientCertificateMode.Required,
        };
        CoapTlsOptions options = TlsOptionsLoader.Load(files, "Coap:Server", out string? problem)!;

        Assert.Null(problem);
        Assert.All([options.Server!.CertificateChainPolicy, options.Client!.CertificateChainPolicy], policy =>
        {
            Assert.True(policy!.DisableCertificateDownloads);
            Assert.Equal((X509ChainTrustMode.CustomRootTrust, X509RevocationMode.NoCheck), (policy.TrustMode, policy.RevocationMode));
            Assert.Equal(_certificates.Authority.Thumbprint, Assert.Single(policy.CustomTrustStore).Thumbprint);
        });
    }

    [Fact]
    public async Task A_client_with_other_authorities_does_not_trust_the_server()
    {
        using TlsCertificates strangers = new("CN=Strangers");
        IHost host = await StartAsync([.. WritePem("Coap:Server:Tls", _certificates.Server(["127.0.0.1"])),
            ("Coap:Client:Tls:Authorities", NewFile(strangers.Authority.ExportCertificatePem()))]);
        await Assert.ThrowsAnyAsync<CoapException>(() => AskAsync(host));
    }

    [Fact]
    public void The_error_for_a_wrong_password_names_the_key_of_the_file_and_does_not_show_the_password()
    {
        CoapTlsFileOptions files = new() { Certificate = WritePfx(_certificates.Server(["a"]), "right"), Password = "wrong" };
        Assert.Null(TlsOptionsLoader.Load(files, "Coap:Server", out string? problem));
        problem.Begins($"Coap:Server:Tls:Certificate = '{files.Certificate}': ");
        problem!.Replace(files.Certificate!, "", Ordinal).Omits("wrong");
    }

    [Theory]
    [InlineData("Required")]
    [InlineData("Optional")]
    public async Task A_server_that_requests_client_certificates_does_not_start_without_authorities(string mode)
    {
        OptionsValidationException exception = await Assert.ThrowsAsync<OptionsValidationException>(
            () => StartAsync(
                [.. WritePem("Coap:Server:Tls", _certificates.Server(["127.0.0.1"])), ("Coap:Server:Tls:ClientCertificates", mode)]));
        Assert.Single(exception.Failures).Begins(
            $"Coap:Server:Tls:ClientCertificates is {mode}, but Coap:Server:Tls:Authorities is not set, so that a certificate of any "
            + "public authority would be accepted. ");
    }

    private (string Key, string? Value)[] WithClientCertificates(string mode) =>
    [
        .. WritePem("Coap:Server:Tls", _certificates.Server(["127.0.0.1"])),
        ("Coap:Server:Tls:ClientCertificates", mode),
        ("Coap:Server:Tls:Authorities", NewFile(_certificates.Authority.ExportCertificatePem())),
    ];

    private async Task<IHost> StartAsync((string Key, string? Value)[] settings)
    {
        string authority = NewFile(_certificates.Authority.ExportCertificatePem());
        HostApplicationBuilder builder =
            Builder([("Coap:Server:Endpoints", "coaps+tcp://127.0.0.1:0"), ("Coap:Client:Tls:Authorities", authority), .. settings]);
        builder.Services.AddCoapServer()
            .MapGet("/who", request => (request.Peer.Identity as CoapTlsPeerIdentity)?.Certificate?.Subject ?? "none");
        builder.Services.AddCoapClient();
        return await StartAsync(builder);
    }

    private static async Task<string> AskAsync(IHost host) =>
        (await Within(host.Services.GetRequiredService<ICoapClient>().GetAsync($"{AddressOf(host)}/who"))).EnsureSuccess().GetText();

    private IEnumerable<(string Key, string? Value)> WritePem(string section, X509Certificate2 certificate, string? password = null)
    {
        using ECDsa key = certificate.GetECDsaPrivateKey()!;
        yield return ($"{section}:Certificate", NewFile(certificate.ExportCertificatePem()));
        yield return ($"{section}:Key",
            NewFile(password is null
                ? key.ExportPkcs8PrivateKeyPem()
                : key.ExportEncryptedPkcs8PrivateKeyPem(password,
                    new PbeParameters(PbeEncryptionAlgorithm.Aes128Cbc, HashAlgorithmName.SHA256, 1000))));
        yield return ($"{section}:Password", password);
    }

    private string WritePfx(X509Certificate2 certificate, string? password)
    {
        string path = Path.Combine(Folder, Path.GetRandomFileName());
        File.WriteAllBytes(path, certificate.Export(X509ContentType.Pfx, password));
        return path;
    }
}
