namespace CoAP.NET.Dtls.Tests.Clients;

/// <summary>What a server knows of handshakes with certificates that failed.</summary>
public sealed class HandshakeReasonTests
{
    private static readonly BenchAuthority s_authority = new();
    private static readonly X509Certificate2 s_server = s_authority.Issue("device.example");

    [Fact]
    public async Task A_refused_certificate_is_named_by_its_subject()
    {
        BenchSettings settings = Settings();
        settings.ServerTrusts = (_, _, _) => throw new CoapDtlsException("It is revoked.");
        using ClientBench bench = new(settings);

        await bench.FailAsync(serverName: "device.example");

        FailedClientHandshake failure = Assert.Single(bench.ServerFailures);
        Assert.Equal(("CN=meter", HandshakeFault.CertificateRefused, "It is revoked."),
            (failure.Identity, failure.End.Fault, failure.End.Why));
    }

    [Fact]
    public async Task A_refused_certificate_without_a_subject_is_named_by_its_hash()
    {
        using X509Certificate2 nameless = s_authority.Issue(commonName: null, forServers: false);
        BenchSettings settings = Settings();
        settings.Client = settings.Client with { Certificate = nameless };
        settings.ServerTrusts = (_, _, _) => new(false);
        using ClientBench bench = new(settings);

        await bench.FailAsync(serverName: "device.example");

        Assert.Empty(nameless.Subject);
        Assert.Equal($"sha256:{Convert.ToHexStringLower(nameless.GetCertHash(HashAlgorithmName.SHA256))}",
            Assert.Single(bench.ServerFailures).Identity);
    }

    [Fact]
    public async Task A_handshake_without_a_common_suite_is_reported_once_although_the_client_repeats_its_ClientHello()
    {
        BenchSettings settings = Settings();
        settings.Client = settings.Client with { Suites = [CipherSuite.All[0]] };
        using ClientBench bench = new(settings);

        Task<DtlsSession> connecting = bench.BeginAsync(serverName: "device.example");
        await bench.DriveAsync(() => bench.Server.Counters.HandshakesFailed >= 2);

        FailedClientHandshake failure = Assert.Single(bench.ServerFailures);
        Assert.Equal(HandshakeFault.NothingInCommon, failure.End.Fault);
        Assert.Contains("no shared cipher", failure.End.Why, Ordinal);
        bench.Client.Dispose();
        await Assert.ThrowsAnyAsync<Exception>(() => connecting);
    }

    [Fact]
    public async Task An_exception_of_the_validation_callback_of_a_client_reaches_the_caller()
    {
        InvalidOperationException thrown = new("no such thing");
        BenchSettings settings = BenchSettings.OfCertificates(s_authority, s_server);
        settings.Sessions = settings.Sessions with
        {
            Certificates = new PeerCertificateValidator
            {
                IsOfServers = true,
                Authorities = [s_authority.Certificate],
                Decides = (_, _, _, _) => CallbackException.GuardAsync<bool>("A validation", () => throw thrown),
            },
        };
        using ClientBench bench = new(settings);

        CoapDtlsException failure = await bench.FailAsync(serverName: "device.example");

        Assert.Same(thrown, failure.InnerException);
        Assert.Contains("A validation threw InvalidOperationException: no such thing", failure.Message, Ordinal);
    }

    private static BenchSettings Settings()
    {
        BenchSettings settings = BenchSettings.OfCertificates(s_authority, s_server);
        settings.Server = settings.Server with { RequiresClientCertificate = true };
        settings.Client = settings.Client with { Certificate = s_authority.Issue(commonName: "meter", forServers: false) };
        settings.ServerTrusts = (_, _, _) => new(true);
        return settings;
    }
}
