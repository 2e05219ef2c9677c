using System.Globalization;
using System.Net.Security;
using System.Reflection;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text.RegularExpressions;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Tests.Guides;

/// <summary>The snippets and the table of docs/security.md.</summary>
public sealed partial class SecurityTests
{
    private static readonly string s_page = File.ReadAllText(Path.Combine(SourceTree.Root, "docs", "security.md"));

    public static TheoryData<string> Limits => [.. LimitPaths.All];

    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() => Snippets.AllStandInTests("security.md", "Guides", 2);

    [Theory]
    [MemberData(nameof(Limits))]
    public void Each_limit_is_in_the_table_with_its_default(string name)
    {
        Match row = Regex.Match(s_page, $@"^\| `{Regex.Escape(name)}` \| (?<value>[^|]+) \| [^|]+ \|\r?$", RegexOptions.Multiline);
        Assert.True(row.Success, $"{name} has no row.");
        Assert.Equal(DefaultOf(name), Plain(row.Groups["value"].Value));
    }

    [Fact]
    public void The_limits_that_SECURITY_md_names_have_their_defaults_there()
    {
        string page = File.ReadAllText(Path.Combine(SourceTree.Root, "SECURITY.md"));
        MatchCollection rows = Regex.Matches(page, @"^\| `(?<name>[A-Za-z]+\.[A-Za-z]+)` \| (?<value>[^|]+) \| [^|]+ \|\r?$",
            RegexOptions.Multiline);
        Assert.True(rows.Count >= 10);
        Assert.All(rows, row => Assert.Equal(DefaultOf(row.Groups["name"].Value), Plain(row.Groups["value"].Value)));
    }

    [Fact]
    public void The_table_has_no_limit_that_does_not_exist()
    {
        string table = s_page[s_page.IndexOf("| `CoapLimits` | default |", Ordinal)..];
        Assert.Equal(LimitPaths.All.Count, LimitRow().Count(table));
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
        string plain = listening.LocalEndpoints.Single(uri => uri.StartsWith("coap://", Ordinal));
        await using CoapClient client = new();
        await client.GetAsync($"{plain}/state").WaitAsync(FromMinutes(2)).Gives(CoapCode.Unauthorized);
        await client.GetAsync($"{plain}/version").WaitAsync(FromMinutes(2)).Says("1.0");
    }

    private static async Task<IReadOnlyList<string>> ServeAsync(CoapEndpointOptions options)
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

    private static string DefaultOf(string name) => LimitPaths.ValueOf(new CoapLimits(), name) switch
    {
        bool flag => flag ? "true" : "false",
        TimeSpan time => $"{time.TotalSeconds}",
        IConvertible number => number.ToDouble(CultureInfo.InvariantCulture).ToString(CultureInfo.InvariantCulture),
        var other => $"{other}",
    };

    // As numbers in the units of the properties: bytes and seconds.
    private static string Plain(string text)
    {
        string[] parts = text.Trim().Replace(",", "", Ordinal).Split(' ');
        double scale = parts.ElementAtOrDefault(1) switch
        {
            "KiB" => 1024,
            "MiB" => 1024 * 1024,
            "h" => 3600,
            "d" => 86_400,
            _ => 1,
        };
        string[] fraction = parts[0].Split('/');
        return parts[0] is "true" or "false" ? parts[0]
            : fraction.Length == 2
            ? (double.Parse(fraction[0], CultureInfo.InvariantCulture) / double.Parse(fraction[1], CultureInfo.InvariantCulture))
                .ToString(CultureInfo.InvariantCulture)
            : (double.Parse(parts[0], CultureInfo.InvariantCulture) * scale).ToString(CultureInfo.InvariantCulture);
    }

    [GeneratedRegex("^\\| `[A-Za-z]+\\.[A-Za-z]+` \\|", RegexOptions.Multiline)]
    private static partial Regex LimitRow();
}
