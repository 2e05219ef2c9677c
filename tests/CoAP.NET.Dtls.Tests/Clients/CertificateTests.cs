using CoAP.NET.Cryptography;

namespace CoAP.NET.Dtls.Tests.Clients;

/// <summary>How servers and clients identify themselves by certificates.</summary>
public sealed class CertificateTests
{
    private static readonly BenchAuthority s_authority = new();
    private static readonly X509Certificate2 s_server = s_authority.Issue("device.example", IPAddress.Parse("192.0.2.1"));
    private static readonly X509Certificate2 s_client = s_authority.Issue(commonName: "client", forServers: false);

    [Theory]
    [InlineData("device.example")]
    [InlineData("DEVICE.example")]
    [InlineData(null)]
    [Rfc("7252-9.1.3.3-1")]
    public async Task A_server_is_identified_by_its_name_or_address(string? name)
    {
        using ClientBench bench = new(BenchSettings.OfCertificates(s_authority, s_server));
        DtlsSession session = await bench.ConnectAsync(serverName: name);
        Assert.Equal(s_server.Thumbprint, session.PeerCertificate!.Thumbprint);
        Assert.Null(session.PskIdentity);
        await DtlsClientTests.ExchangeAsync(bench, session, bench.ServerSink.Opened[0]);
    }

    [Fact]
    [Rfc("7252-9.1.3.3-2")]
    public async Task A_server_is_identified_by_a_CoAP_URI_in_its_certificate()
    {
        using X509Certificate2 certificate = s_authority.Issue(uri: new Uri("coaps://device.example/"));
        using ClientBench bench = new(BenchSettings.OfCertificates(s_authority, certificate));
        Assert.NotNull(await bench.ConnectAsync(serverName: "device.example"));
        Assert.False(CertificateNames.IsFor(certificate, "example"));
        Assert.False(CertificateNames.IsFor(certificate, "no name at all"));
        using X509Certificate2 other = s_authority.Issue(uri: new Uri("https://device.example/"));
        Assert.False(CertificateNames.IsFor(other, "device.example"));
    }

    [Fact]
    public async Task Client_and_server_authenticate_with_certificates()
    {
        using ClientBench bench = MutualBench();
        DtlsSession session = await bench.ConnectAsync(serverName: "device.example");
        Assert.Equal(s_client.Thumbprint, bench.ServerSink.Opened[0].PeerCertificate!.Thumbprint);
        await DtlsClientTests.ExchangeAsync(bench, session, bench.ServerSink.Opened[0]);
    }

    [Theory]
    [InlineData("other.example", "not for 'other.example'")]
    [InlineData("", "not for ''")]
    [Rfc("7252-9.1.3.3-1")]
    public async Task A_certificate_for_another_name_is_refused(string name, string said) => await RefusesAsync(s_server, name, said);

    [Fact]
    public async Task A_certificate_that_is_expired_untrusted_or_for_clients_or_another_address_is_refused()
    {
        using BenchAuthority stranger = new("stranger");
        foreach ((X509Certificate2 certificate, string? name, string said) in new[]
        {
            (s_authority.Issue("device.example", IPAddress.Parse("192.0.2.2")), null, "not for '192.0.2.1'"),
            (s_authority.Issue("device.example", until: DateTimeOffset.UnixEpoch.AddYears(1)), "device.example", "to 1971-01-01"),
            (stranger.Issue("device.example"), "device.example", "issued by 'CN=stranger'"),
            (s_authority.Issue("device.example", forServers: false), "device.example", "extended key usage"),
        })
        {
            await RefusesAsync(certificate, name, said);
            certificate.Dispose();
        }
    }

    [Fact]
    public async Task The_clock_of_the_endpoint_is_read_for_each_handshake()
    {
        BenchSettings settings = BenchSettings.OfCertificates(s_authority, s_server);
        using ClientBench bench = new(settings);
        using X509Certificate2 certificate = s_authority.Issue("device.example", until: bench.Clock.GetUtcNow().AddHours(1));
        settings.Server = settings.Server with { Certificate = certificate };
        bench.RestartServer();
        Assert.NotNull(await bench.ConnectAsync(1, "device.example"));
        bench.Clock.Advance(FromHours(1) + FromSeconds(1));
        CoapDtlsException failure =
            await Assert.ThrowsAsync<CoapDtlsException>(() => bench.ConnectAsync(2, "device.example"));
        Assert.Contains("not valid at this time", failure.Message, Ordinal);
    }

    [Theory]
    [InlineData("*.example", "device")]
    [InlineData(null, "device.example")]
    [InlineData(null, "*.example")]
    [Rfc("7252-9.1.3.3-2")]
    [Rfc("7925-4.4.1-1")]
    public async Task Common_names_and_wildcards_are_ignored(string? alternative, string common)
    {
        using X509Certificate2 certificate = s_authority.Issue(alternative, commonName: common);
        await RefusesAsync(certificate, "device.example", "not for 'device.example'");
    }

    [Fact]
    public async Task A_server_certificate_is_not_trusted_without_authorities_or_a_validation_callback()
    {
        BenchSettings settings = BenchSettings.OfCertificates(s_authority, s_server);
        settings.Sessions = settings.Sessions with { Certificates = null };
        using ClientBench bench = new(settings);
        Assert.Equal(CoapDtlsHandshakeFailure.NotTrusted, (await bench.FailAsync()).Reason);

        // Those that the system trusts do not know ours.
        settings.Sessions = settings.Sessions with { Certificates = new PeerCertificateValidator { IsOfServers = true } };
        using ClientBench system = new(settings);
        Assert.Equal(CoapDtlsHandshakeFailure.NotTrusted, (await system.FailAsync()).Reason);
    }

    [Fact]
    public async Task The_validation_callback_of_the_user_decides_last()
    {
        using X509Certificate2 certificate = s_authority.Issue("other.example");
        BenchSettings settings = BenchSettings.OfCertificates(s_authority, certificate);
        List<SslPolicyErrors> seen = [];
        bool answer = true;
        settings.Sessions = settings.Sessions with
        {
            Certificates = new PeerCertificateValidator
            {
                IsOfServers = true,
                Authorities = [s_authority.Certificate],
                Decides = (leaf, chain, errors, _) =>
                {
                    seen.Add(errors);
                    Assert.Equal(2, chain.ChainElements.Count);
                    return new(answer && leaf.Thumbprint == certificate.Thumbprint);
                },
            },
        };
        using ClientBench bench = new(settings);
        Assert.NotNull(await bench.ConnectAsync(1, "device.example"));
        answer = false;
        CoapDtlsException failure =
            await Assert.ThrowsAsync<CoapDtlsException>(() => bench.ConnectAsync(2, "other.example"));
        Assert.Contains("refused by the validation", failure.Message, Ordinal);
        Assert.Equal([SslPolicyErrors.RemoteCertificateNameMismatch, SslPolicyErrors.None], seen);
    }

    [Fact]
    public async Task A_client_whose_certificate_is_refused_gets_the_reason()
    {
        using X509Certificate2 wrong = s_authority.Issue(commonName: "client");
        BenchSettings settings = MutualSettings();
        settings.Client = settings.Client with { Certificate = wrong };
        using ClientBench bench = new(settings);
        CoapDtlsException failure = await bench.FailAsync(serverName: "device.example");
        Assert.Equal(CoapDtlsHandshakeFailure.Refused, failure.Reason);
        Assert.Contains("bad_certificate (42): it does not trust this end's certificate", failure.Message, Ordinal);
    }

    [Fact]
    public async Task A_client_without_a_required_certificate_gets_an_error_that_says_so()
    {
        BenchSettings settings = MutualSettings();
        settings.Client = settings.Client with { Certificate = null };
        using ClientBench bench = new(settings);
        CoapDtlsException failure = await bench.FailAsync(serverName: "device.example");
        Assert.Equal(CoapDtlsHandshakeFailure.NoCredentials, failure.Reason);
        Assert.Contains("asked for a certificate or a raw public key, and this end has neither", failure.Message, Ordinal);
        HandshakeFailureReason end = Assert.Single(bench.ServerFailures).End;
        Assert.Equal(HandshakeFault.NoCertificate, end.Fault);
        end.Why.Begins("The client presented no certificate, which this server requires.");
    }

    [Fact]
    public async Task Certificate_names_are_shown_without_control_characters()
    {
        using BenchAuthority stranger = new("stranger");
        using X509Certificate2 hostile = stranger.Issue("device.example", commonName: "a\u001b[2Jb\r\n2026 all is well\u0007");
        using ClientBench bench = new(BenchSettings.OfCertificates(s_authority, hostile));
        CoapDtlsException failure = await bench.FailAsync(serverName: "device.example");
        Assert.Contains("all is well", failure.Message, Ordinal);
        Assert.DoesNotContain(failure.Message, one => char.IsControl(one));
    }

    internal static ClientBench MutualBench() => new(MutualSettings());

    internal static BenchSettings MutualSettings()
    {
        PeerCertificateValidator clients = new() { IsOfServers = false, Authorities = [s_authority.Certificate] };
        BenchSettings settings = BenchSettings.OfCertificates(s_authority, s_server);
        settings.Server = settings.Server with { RequiresClientCertificate = true };
        settings.Client = settings.Client with { Certificate = s_client };
        settings.ServerTrusts = async (leaf, sent, token) =>
            await clients.RefusesAsync(leaf, sent, null, DateTimeOffset.UnixEpoch.AddYears(60), token) is null;
        return settings;
    }

    private static async Task RefusesAsync(X509Certificate2 certificate, string? name, string said)
    {
        using ClientBench bench = new(BenchSettings.OfCertificates(s_authority, certificate));
        Task<DtlsSession> task = bench.BeginAsync(serverName: name);
        CoapDtlsException failure = await Assert.ThrowsAsync<CoapDtlsException>(() => task);
        Assert.Contains(said, failure.Message, Ordinal);
        Assert.Equal(CoapDtlsHandshakeFailure.NotTrusted, failure.Reason);
        Assert.Empty(bench.ServerSink.Opened);
    }
}
