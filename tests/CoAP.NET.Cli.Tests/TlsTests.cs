using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Cli.Tests;

public sealed class TlsTests : FolderTest
{
    private readonly TlsCertificates _certificates = new();

    public override void Dispose()
    {
        base.Dispose();
        _certificates.Dispose();
    }

    [Fact]
    public async Task A_named_authority_is_trusted()
    {
        string authority = Write("ca.pem", _certificates.Authority.ExportCertificatePem());
        await using CoapServer server = await StartAsync(clientNeeded: false);

        CliRun trusted = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}text", "--ca", authority);
        CliRun directory = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}text", "--ca", Folder);
        CliRun unknown = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}text");
        CliRun insecure = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}text", "--insecure");

        trusted.HasExitCode(ExitCodes.Success);
        Assert.Equal("21.5", trusted.Out);
        directory.HasExitCode(ExitCodes.Success);
        unknown.HasExitCode(ExitCodes.Network);
        unknown.HasError("--ca FILE");
        Assert.Equal("21.5", insecure.Out);
    }

    [Fact]
    public async Task A_client_certificate_is_sent_to_the_server()
    {
        string authority = Write("ca.pem", _certificates.Authority.ExportCertificatePem());
        X509Certificate2 client = _certificates.Client("device");
        string certificate = Write("client.pem", client.ExportCertificatePem());
        string key = Write("client.key", client.GetECDsaPrivateKey()!.ExportPkcs8PrivateKeyPem());
        await using CoapServer server = await StartAsync(clientNeeded: true);

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}text", "--ca", authority, "--cert", certificate, "--key",
            key);

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal("21.5", run.Out);
    }

    [Fact]
    public async Task The_tool_fetches_no_URL_of_an_untrusted_certificate()
    {
        using IssuerTrap trap = new();
        using TlsCertificates strangers = new("CN=Strangers");
        string authority = Write("ca.pem", _certificates.Authority.ExportCertificatePem());
        await using CoapServer server = await StartAsync(clientNeeded: false, strangers.Server(["127.0.0.1"], issuerAt: trap.Url));

        CliRun named = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}text", "--ca", authority);
        CliRun system = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}text");

        Assert.Equal((ExitCodes.Network, ExitCodes.Network), (named.ExitCode, system.ExitCode));
        named.HasError("--ca FILE");
        Assert.False(trap.WasVisited);
    }

    [Fact]
    public void Certificate_chains_must_end_at_the_named_authorities_and_are_built_without_downloads()
    {
        FileInfo authority = new(Write("ca.pem", _certificates.Authority.ExportCertificatePem()));

        X509ChainPolicy policy = ClientTlsOptionsFactory.Make([authority], null, null, isInsecure: false)!.Client!.CertificateChainPolicy!;

        Assert.True(policy.DisableCertificateDownloads);
        Assert.Equal((X509ChainTrustMode.CustomRootTrust, X509RevocationMode.NoCheck), (policy.TrustMode, policy.RevocationMode));
        Assert.Equal(_certificates.Authority.Thumbprint, Assert.Single(policy.CustomTrustStore).Thumbprint);
    }

    private Task<CoapServer> StartAsync(bool clientNeeded, X509Certificate2? own = null) =>
        TestServer.StartAsync(uri: "coaps+tcp://127.0.0.1:0", options: new CoapEndpointOptions
        {
            Tls = new CoapTlsOptions
            {
                Server = new SslServerAuthenticationOptions
                {
                    ServerCertificate = own ?? _certificates.Server(["127.0.0.1"]),
                    ClientCertificateRequired = clientNeeded,
                    CertificateChainPolicy = clientNeeded ? _certificates.Trust() : null,
                },
            },
        });

    private string Write(string name, string text)
    {
        string path = Path.Combine(Folder, name);
        File.WriteAllText(path, text);
        return path;
    }
}
