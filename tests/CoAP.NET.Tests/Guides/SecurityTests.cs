using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text.RegularExpressions;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Tests.Guides;

/// <summary>The snippets of docs/security.md, and the limits of SECURITY.md.</summary>
public sealed partial class SecurityTests
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() => Snippets.AllStandInTests("security.md", "Guides", 2);

    [Fact]
    public void The_limits_that_SECURITY_md_names_exist()
    {
        string page = File.ReadAllText(Path.Combine(SourceTree.Root, "SECURITY.md"));
        MatchCollection rows = LimitRow().Matches(page);
        Assert.True(rows.Count >= 10);
        Assert.All(rows, static row => Assert.Contains(row.Groups["name"].Value, LimitPaths.All));
    }

    [Fact]
    public async Task A_server_with_certificates_refuses_plain_requests_to_protected_routes()
    {
        using X509Certificate2 certificate = MakeCertificate();
        using X509Certificate2 authority = X509CertificateLoader.LoadCertificate(certificate.RawData);
        CoapEndpointOptions options = new()
        {
            Tls = new CoapTlsOptions
            {
                Server = new SslServerAuthenticationOptions
                {
                    ServerCertificate = certificate,
                    ClientCertificateRequired = true,
                    CertificateChainPolicy = new X509ChainPolicy
                    {
                        TrustMode = X509ChainTrustMode.CustomRootTrust,
                        CustomTrustStore = { authority },
                        RevocationMode = X509RevocationMode.NoCheck,
                        DisableCertificateDownloads = true,
                    },
                },
            },
        };
        Assert.Empty(await ServeAsync(options));
        await using CoapServer listening = new(options);
        listening.Listen("coaps+tcp://127.0.0.1:0").Listen("coap://127.0.0.1:0");
        listening.MapGet("/state", request => $"for {request.Peer.Identity}");
        listening.MapGet("/version", () => "1.0").AllowInsecureTransport();
        await listening.StartAsync();
        string plain = listening.LocalEndpoints.Single(uri => uri.Scheme == "coap").Origin();
        await using CoapClient client = new();
        await client.GetAsync($"{plain}/state").WaitAsync(FromMinutes(2)).Gives(CoapCode.Unauthorized);
        await client.GetAsync($"{plain}/version").WaitAsync(FromMinutes(2)).Says("1.0");
    }

    private static async Task<IReadOnlyList<CoapUri>> ServeAsync(CoapEndpointOptions options)
    {
        await using CoapServer server = new(options);
        server.Listen("coaps+tcp://[::]:5684").Listen("coap://[::]:5683");
        server.MapGet("/state", request => $"for {request.Peer.Identity}");
        server.MapGet("/version", () => "1.0").AllowInsecureTransport();
        return server.LocalEndpoints;
    }

    private static X509Certificate2 MakeCertificate()
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new("CN=localhost", key, HashAlgorithmName.SHA256);
        return request.CreateSelfSigned(DateTimeOffset.UnixEpoch, new DateTimeOffset(2100, 1, 1, 0, 0, 0, TimeSpan.Zero));
    }

    [GeneratedRegex("^\\| `(?<name>[A-Za-z]+\\.[A-Za-z]+)` \\|", RegexOptions.Multiline)]
    private static partial Regex LimitRow();
}
