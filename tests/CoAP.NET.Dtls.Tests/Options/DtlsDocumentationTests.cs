using System.Text.RegularExpressions;

namespace CoAP.NET.Dtls.Tests.Options;

/// <summary>The snippets of docs/dtls.md and the tables of docs/dtls-operation.md, so that they compile and say what is so.</summary>
public sealed partial class DtlsDocumentationTests : IDisposable
{
    private static readonly string s_page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "dtls.md"));
    private static readonly string s_operation = File.ReadAllText(Path.Combine(Repository.Root, "docs", "dtls-operation.md"));
    private static readonly CancellationToken s_none = CancellationToken.None;

    private readonly TemporaryFiles _files = new();

    public static TheoryData<string, string> Bounds => new()
    {
        { nameof(CoapDtlsServerOptions),
            "MaxSessions,MaxSessionsPerAddress,MaxSessionsPerIdentity,SessionIdleTimeout,ResumptionLifetime,MaxResumableSessions,"
                + "MaxHandshakes,MaxHandshakesPerAddress" },
        { nameof(CoapDtlsClientOptions), "SessionIdleTimeout,MaxResumableSessions" },
        { nameof(CoapDtlsOptions), "HandshakeTimeout,RetransmitTimeout,MaxDatagramSize" },
    };

    public void Dispose() => _files.Dispose();

    [Fact]
    public void Every_snippet_of_the_page_is_in_these_tests()
    {
        string tests = Flat(
            File.ReadAllText(Path.Combine(Repository.Root, "tests", "CoAP.NET.Dtls.Tests", "Options", "DtlsDocumentationTests.cs")));
        MatchCollection snippets = Snippet().Matches(s_page);

        Assert.True(snippets.Count >= 7);
        Assert.All(snippets, snippet => Assert.Contains(Flat(snippet.Groups["code"].Value), tests, StringComparison.Ordinal));
    }

    [Theory]
    [MemberData(nameof(Bounds))]
    public void The_tables_state_the_defaults_of_all_limits(string type, string names)
    {
        object options = type switch
        {
            nameof(CoapDtlsServerOptions) => new CoapDtlsServerOptions(),
            nameof(CoapDtlsClientOptions) => new CoapDtlsClientOptions(),
            _ => new CoapDtlsOptions()
        };
        string table = s_operation[s_operation.IndexOf($"| `{type}` | default |", StringComparison.Ordinal)..];
        table = table[..table.IndexOf("\n\n", StringComparison.Ordinal)];
        string[] bounds = [.. options.GetType().GetProperties()
            .Where(property => property.PropertyType == typeof(int) || property.PropertyType == typeof(TimeSpan))
            .Select(property => property.Name)];

        Assert.Equal(names.Split(',').Order(), bounds.Order());
        Assert.All(bounds, name => Assert.Contains(
            string.Create(CultureInfo.InvariantCulture,
                $"| `{name}` | {(options.GetType().GetProperty(name)!.GetValue(options) is int number ? number.ToString("N0", CultureInfo.InvariantCulture) : options.GetType().GetProperty(name)!.GetValue(options))} |"),
            table,
            StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_server_and_a_client_share_a_key()
    {
        string path = _files.Write("keys", "device-1:a word that nobody guesses");

        await using CoapServer server = new();
        server.ListenSecure("coaps://[::]", keys => keys.UsePskFile(path));
        server.MapGet("/who", request => CoapResults.Text($"{request.Peer.Id}"));

        // Not started: its port may be somebody else's here.
        Assert.Empty(server.LocalEndpoints);
    }

    [Fact]
    [Rfc("7252-9.1.3.1-1")]
    public async Task A_client_sends_a_request_with_a_key()
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        byte[] key = SecureEndpoints.Key;
        string uri = $"{secure.Host}/who";
        CancellationToken cancellationToken = s_none;

        await using CoapClient client = new(o => o.UsePsk("device-1", key));
        CoapResponse response = await client.GetAsync(uri, cancellationToken);

        Assert.Equal("device-1", response.GetText());
    }

    [Fact]
    public async Task A_client_sends_requests_from_a_given_address()
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        secure.Server.MapGet("/from", request => CoapResults.Text($"{request.Peer.Address.ToIPAddress()}"));
        byte[] key = SecureEndpoints.Key;
        IPAddress local = IPAddress.Parse("127.3.0.6");

        CoapDtlsClientOptions own = new() { Psk = new CoapPskCredential("device-1", key) };
        await using CoapClient client = new();
        client.Endpoint.AddTransport(CoapDtls.CreateTransport(
            new CoapDtlsOptions { Client = own }, new CoapUdpTransportOptions { Endpoints = { new IPEndPoint(local, 0) } }));

        Assert.Equal("127.3.0.6", (await client.GetAsync($"{secure.Host}/from", s_none)).GetText());
    }

    [Fact]
    public void Keys_are_read_from_the_key_file_of_the_page()
    {
        string path = _files.Write("keys", TextBlock().Match(s_page).Groups["text"].Value);
        CoapPskDictionary keys = CoapPskDictionary.FromFile(path);
        int count = keys.LoadFile(path);

        Assert.Equal(2, count);
        Assert.True(keys.Contains("urn:dev:ow:10e2073a01080063"));
    }

    [Fact]
    public async Task Client_and_server_authenticate_with_certificates()
    {
        using BenchAuthority authority = new();
        using X509Certificate2 device = authority.Issue(commonName: "device-1", forServers: false);
        string authorityFile = _files.Write("ca.pem", authority.Certificate.ExportCertificatePem());
        RevokedDevices revoked = new();

        await using CoapServer server = Serving(authority, authorityFile, revoked);
        server.MapGet("/secret", request => CoapResults.Text(((CoapDtlsPeerIdentity)request.Peer.Identity!).Certificate!.Subject));
        await server.StartAsync();
        CoapDtlsClientOptions own = new() { Certificate = device, TrustedAuthorities = { authority.Certificate } };
        await using CoapClient client = new(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions { Client = own }));

        Assert.Equal("CN=device-1", (await client.GetAsync($"{server.LocalEndpoints[0]}secret", s_none)).GetText());

        revoked.Add(device.SerialNumber);
        await using CoapClient late = new(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions { Client = own }));
        await Assert.ThrowsAsync<CoapConnectionException>(() => late.GetAsync($"{server.LocalEndpoints[0]}secret", s_none));
    }

    [Fact]
    public async Task A_client_trusts_an_authority()
    {
        using BenchAuthority authority = new();
        using X509Certificate2 device = authority.Issue(forServers: false);
        string authorityFile = _files.Write("ca.pem", authority.Certificate.ExportCertificatePem());

        await using CoapClient client = new(o => o.UseCertificate(device).TrustAuthorities(authorityFile));

        Assert.Empty(client.Endpoint.LocalEndpoints);
    }

    [Fact]
    public async Task A_server_uses_certificate_files()
    {
        using BenchAuthority authority = new();
        (string certificateFile, string keyFile) = Files(authority);

        await using CoapServer server = new();
        server.ListenSecure("coaps://[::]", keys => keys.UseCertificate(certificateFile, keyFile));

        Assert.Empty(server.LocalEndpoints);
    }

    [Fact]
    public void A_vault_signs_for_a_raw_public_key()
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        byte[] publicKey = key.ExportSubjectPublicKeyInfo();
        Vault vault = new(key);

        CoapDtlsSigner signer = new(publicKey, async (hash, algorithm, cancellationToken) =>
            await vault.SignAsync(hash, algorithm, cancellationToken));
        CoapDtlsOptions dtls = new() { Server = new CoapDtlsServerOptions { Signer = signer } };

        dtls.Validate();
    }

    private sealed class Vault(ECDsa key)
    {
        public Task<byte[]> SignAsync(ReadOnlyMemory<byte> hash, HashAlgorithmName algorithm, CancellationToken cancellationToken) =>
            Task.FromResult(key.SignHash(hash.ToArray()));
    }

    [Fact]
    public async Task Credentials_are_renewed_and_revoked()
    {
        using BenchAuthority authority = new();
        (string certificateFile, string keyFile) = Files(authority);
        string authorityFile = _files.Write("ca.pem", authority.Certificate.ExportCertificatePem());
        string revocationFile = _files.Write("revoked.crl", PemEncoding.WriteString("X509 CRL", authority.Revoke()));

        using CoapCertificateChain own = CoapCertificateChain.Load(certificateFile, keyFile);
        CoapDtlsCredentials current = new(own, CoapCertificateChain.LoadAuthorities(authorityFile));
        CoapDtlsServerOptions dtls = new() { RequireClientCertificate = true, SelectCredentials = _ => current };
        await using CoapServer server = new(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions { Server = dtls }));
        server.Listen("coaps://[::]:5684");

        // Later, with new files:
        X509Certificate2Collection authorities = CoapCertificateChain.LoadAuthorities(authorityFile);
        CoapRevocationLists lists = CoapRevocationLists.Load(revocationFile, authorities);
        using CoapCertificateChain renewed = CoapCertificateChain.Load(certificateFile, keyFile);
        current = new CoapDtlsCredentials(renewed, authorities, lists);

        // New handshakes refuse what is revoked. This ends the sessions that are open:
        server.Endpoint.Disconnect(
            peer => peer.Identity is CoapDtlsPeerIdentity { Certificate: { } certificate } && lists.IsRevoked(certificate),
            "It is revoked.");

        Assert.Same(current, dtls.SelectCredentials(null));
        Assert.Equal(0, lists.Count);
    }

    [Fact]
    public async Task A_key_is_revoked()
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        CoapPskDictionary keys = secure.Keys;
        CoapServer server = secure.Server;
        await secure.Client().GetAsync($"{secure.Host}/hello");

        keys.Remove("device-1");
        server.Endpoint.Disconnect(peer => peer.Identity is CoapDtlsPeerIdentity { PskIdentity: "device-1" }, "Its key was removed.");

        Assert.Empty(server.Endpoint.ConnectedPeers);
    }

    [Fact]
    public async Task A_resource_requires_a_given_identity()
    {
        await using SecureEndpoints secure = new();
        CoapServer server = secure.Server;
        server.MapGet("/secret", request => request.Peer.Identity is CoapDtlsPeerIdentity { PskIdentity: "device-1" }
            ? CoapResults.Text("1234")
            : CoapResults.Forbidden());
        server.Endpoint.PeerMoved += (_, move) => Console.WriteLine($"{move.Peer.Identity} was at {move.From} and is at {move.To}");
        await secure.StartAsync();
        secure.Keys.Add("device-2", new byte[] { 1, 2, 3 });

        Assert.Equal("1234", (await secure.Client().GetAsync($"{secure.Host}/secret")).GetText());
        Assert.Equal(CoapCode.Forbidden, (await secure.Client("device-2", [1, 2, 3]).GetAsync($"{secure.Host}/secret")).Code);
    }

    private static byte[] RandomKey() => [.. "0123456789abcdef"u8];

    private static string Flat(string code) => Blank().Replace(code, string.Empty);

    [GeneratedRegex("^```csharp\r?\n(?<code>.*?)^```", RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex Snippet();

    [GeneratedRegex("^```text\r?\n(?<text>.*?)^```", RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex TextBlock();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Blank();

    private sealed class RevokedDevices : HashSet<string>
    {
        public Task<bool> ContainsAsync(string serialNumber, CancellationToken cancellationToken) =>
            Task.FromResult(!cancellationToken.IsCancellationRequested && Contains(serialNumber));
    }

    private CoapServer Serving(BenchAuthority authority, string authorityFile, RevokedDevices revoked)
    {
        (string certificateFile, string keyFile) = Files(authority);
        using CoapCertificateChain own = CoapCertificateChain.Load(certificateFile, keyFile);
        CoapDtlsServerOptions dtls = new() { Certificate = own.Certificate };
        dtls.RequireClientCertificate = true;
        dtls.TrustedAuthorities.AddRange(CoapCertificateChain.LoadAuthorities(authorityFile));
        dtls.ValidateClientCertificate = async (certificate, chain, errors, cancellationToken) =>
            errors == SslPolicyErrors.None
            && !await revoked.ContainsAsync(certificate.SerialNumber, cancellationToken);
        CoapServer server = new(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions { Server = dtls }));
        server.Listen("coaps://127.0.0.1:0");
        return server;
    }

    private (string Certificate, string Key) Files(BenchAuthority authority)
    {
        using X509Certificate2 certificate = authority.Issue(address: IPAddress.Loopback);
        using ECDsa key = certificate.GetECDsaPrivateKey()!;
        return (_files.Write("server.pem", certificate.ExportCertificatePem()), _files.Write("server.key", key.ExportPkcs8PrivateKeyPem()));
    }
}
