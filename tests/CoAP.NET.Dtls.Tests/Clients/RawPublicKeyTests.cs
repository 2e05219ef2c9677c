namespace CoAP.NET.Dtls.Tests.Clients;

/// <summary>Raw public keys (RFC 7250), where OpenSSL has them: from 3.2 on.</summary>
public sealed class RawPublicKeyTests
{
    [Fact]
    public async Task An_untrusted_or_missing_raw_public_key_of_a_server_is_refused()
    {
        using ECDsa server = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using ECDsa client = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        BenchSettings settings = Settings(server, client);
        settings.Sessions = new DtlsClientSettings
        {
            ValidateRawPublicKey = (_, key, _) => new(key.Span.SequenceEqual(client.ExportSubjectPublicKeyInfo()))
        };
        using ClientBench bench = new(settings);
        CoapDtlsException failure = await bench.FailAsync();
        Assert.Equal(CoapDtlsHandshakeFailure.NotTrusted, failure.Reason);
        Assert.Contains(Convert.ToHexStringLower(SHA256.HashData(server.ExportSubjectPublicKeyInfo())), failure.Message,
            Ordinal);
        settings.Sessions = new DtlsClientSettings();
        using ClientBench without = new(settings);
        Assert.Equal(CoapDtlsHandshakeFailure.NotTrusted, (await without.FailAsync()).Reason);
    }

    [Fact]
    public async Task A_server_that_requires_a_raw_public_key_refuses_a_client_without_it_and_both_ends_get_the_reason()
    {
        using ECDsa server = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using ECDsa client = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        BenchSettings settings = Settings(server, client);
        settings.Server = settings.Server with
        {
            RequiresClientCertificate = true,
            RequestsClientCertificate = true,
            TakesRawPublicKeys = true
        };
        settings.Client = settings.Client with { RawPublicKey = null };
        settings.Sessions = new DtlsClientSettings { ValidateRawPublicKey = (_, _, _) => new(true) };
        using ClientBench bench = new(settings);
        CoapDtlsException failure = await bench.FailAsync();
        Assert.Equal(CoapDtlsHandshakeFailure.NoCredentials, failure.Reason);
        Assert.Contains("no certificate and no raw public key, which this server requires", Assert.Single(bench.ServerFailures).End.Why,
            Ordinal);
    }

    [Fact]
    public void A_raw_public_key_can_be_required_without_authorities()
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CoapDtlsOptions options = new()
        {
            Server = new CoapDtlsServerOptions
            {
                RawPublicKey = key,
                RequireClientPublicKey = true,
                ValidateClientPublicKey = (_, _) => new(true)
            }
        };
        options.Validate();
        DtlsSettings settings = DtlsSettings.From(options, isServer: true);
        SharedHandshakeContext context = settings.MakeServerContext(TimeProvider.System);
        Assert.True(context.Settings is { RequiresClientCertificate: true, TakesRawPublicKeys: true });
    }

    [Fact]
    public void Options_with_both_a_certificate_and_a_raw_public_key_are_refused()
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using BenchAuthority authority = new();
        HandshakeSettings settings = new()
        {
            IsServer = true,
            Suites = [CipherSuite.All[1]],
            RawPublicKey = key,
            Certificate = authority.Issue("device.example")
        };
        Assert.Contains("not both", Assert.Throws<InvalidOperationException>(() => new SharedHandshakeContext(settings)).Message,
            Ordinal);
    }

    private static BenchSettings Settings(ECDsa server, ECDsa client)
    {
        BenchSettings settings = new();
        settings.Server = settings.Server with { Suites = [CipherSuite.All[1]], RawPublicKey = server };
        settings.Client = settings.Client with { Suites = [CipherSuite.All[1]], RawPublicKey = client, TakesRawPublicKeys = true };
        return settings;
    }
}
