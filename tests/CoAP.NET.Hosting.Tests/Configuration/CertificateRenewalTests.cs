using CoAP.NET.Diagnostics;
using CoAP.NET.Endpoints;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Hosting.Tests.Configuration;

/// <summary>Files of certificates, authorities and revocation lists that change while servers and clients run.</summary>
public sealed class CertificateRenewalTests : FolderHostTest
{
    private const int TakenId = 1811;
    private const int NotTakenId = 1812;
    private const int DueId = 1813;
    private const int ChangedId = 1814;

    private readonly TlsCertificates _certificates = new();
    private readonly TickingTime _time = new();
    private readonly List<X509Certificate2> _revoked = [];
    private X509Certificate2? _serverCertificate;
    private int _versions;

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _certificates.Dispose();
    }

    [Theory]
    [InlineData("coaps", "Dtls")]
    [InlineData("coaps+tcp", "Tls")]
    public async Task A_replaced_certificate_is_used_in_new_handshakes_and_open_sessions_continue(string scheme, string section)
    {
        WriteServer("first");
        IHost host = await StartAsync(scheme, section);
        await using CoapClient early = Client(section);
        Assert.Equal("CN=first", await ServerOfAsync(host, early));

        WriteServer("second");
        _time.Tick();
        Assert.Equal(0, Count(TakenId));
        _time.Tick();

        Assert.Equal(1, Count(TakenId));
        Assert.Equal("CN=first", await ServerOfAsync(host, early));
        await using CoapClient late = Client(section);
        Assert.Equal("CN=second", await ServerOfAsync(host, late));
        Assert.Contains(Logged.Entries, entry => entry.Id == TakenId && entry.Level == LogLevel.Information
            && entry.Text.Contains($"Coap:Server:{section} ({Name("server.pem")}, {Name("server.key")}", Ordinal));
        _time.Tick();
        Assert.Equal(1, Count(TakenId));
    }

    [Fact]
    public async Task A_server_without_a_host_uses_its_replaced_certificate_in_new_handshakes()
    {
        WriteServer("first");
        await using CoapServer server = new(options => options.TimeProvider = _time);
        server.ListenSecure("coaps://127.0.0.1:0", keys => keys.UseCertificate(Name("server.pem"), Name("server.key")));
        await server.StartAsync();
        await Eventually.IsTrueAsync(() => _time.Timers == 1);
        await using CoapClient early = Client("Dtls");
        Assert.Equal("CN=first", await ShownAsync(early));

        WriteServer("second");
        _time.Tick();
        _time.Tick();

        await using CoapClient late = Client("Dtls");
        Assert.Equal("CN=second", await ShownAsync(late));
        Assert.Equal("CN=first", await ShownAsync(early));

        async Task<string> ShownAsync(CoapClient client)
        {
            await Within(client.PingAsync(server.LocalEndpoints[0]));
            return ((CoapDtlsPeerIdentity)((IEndpointClient)client).Endpoint.ConnectedPeers[0].Identity!).Certificate!.Subject;
        }
    }

    [Theory]
    [InlineData("coaps", "Dtls")]
    [InlineData("coaps+tcp", "Tls")]
    public async Task Swapping_a_symbolic_link_to_a_directory_renews_the_certificate(string scheme, string section)
    {
        // As kubelet does it: the files are links through ..data, a link that is replaced.
        Swap("first");
        foreach (string file in (string[])["server.pem", "server.key"])
        {
            File.CreateSymbolicLink(Name(file), Path.Combine("..data", file));
        }

        IHost host = await StartAsync(scheme, section);
        Swap("second");
        _time.Tick();
        _time.Tick();

        await using CoapClient client = Client(section);
        Assert.Equal("CN=second", await ServerOfAsync(host, client));
    }

    public static TheoryData<string, string, string> Invalid => new(
        from section in (string[])["Dtls", "Tls"]
        from file in (string[])["server.key", "server.pem", "authorities.pem", "revoked.crl"]
        from kind in (string[])(OperatingSystem.IsWindows() ? ["nonsense"] : ["nonsense", "pipe", "endless device"])
        select (section, file, kind));

    [Theory]
    [MemberData(nameof(Invalid))]
    public async Task An_invalid_file_keeps_the_previous_credentials_and_is_logged_once(string section, string file, string kind)
    {
        string scheme = section == "Dtls" ? "coaps" : "coaps+tcp";
        WriteServer("first");
        WriteLists();
        IHost host = await StartAsync(scheme, section, ("Crl", Name("revoked.crl")), ("ClientCertificates", "Optional"));

        if (kind == "nonsense")
        {
            File.WriteAllText(Name(file), "nonsense\n");
        }
        else
        {
            SpecialFile.Put(Name(file), kind);
        }

        for (int i = 0; i < 5; i++)
        {
            _time.Tick();
        }

        (LogLevel level, _, string text) = Assert.Single(Logged.Entries, entry => entry.Id == NotTakenId);
        Assert.Equal(LogLevel.Error, level);
        text.Mentions($"Coap:Server:{section}:");
        text.Mentions(Name(file == "server.key" ? "server.pem" : file));
        Assert.Equal(1, host.Services.GetRequiredService<CoapServer>().Counters[CoapCounter.CredentialsNotReloaded]);
        await using CoapClient client = Client(section);
        Assert.Equal("CN=first", await ServerOfAsync(host, client));
    }

    [Fact]
    public async Task A_certificate_file_without_its_matching_key_is_loaded_when_the_key_arrives()
    {
        WriteServer("first");
        IHost host = await StartAsync("coaps", "Dtls");
        X509Certificate2 second = _certificates.Server(["127.0.0.1"], subject: new X500DistinguishedName("CN=second"));
        File.WriteAllText(Name("server.pem"), second.ExportCertificatePem());
        _time.Tick();
        _time.Tick();
        Assert.Equal((0, 1), (Count(TakenId), Count(NotTakenId)));

        using ECDsa key = second.GetECDsaPrivateKey()!;
        File.WriteAllText(Name("server.key"), key.ExportPkcs8PrivateKeyPem() + "\n");
        _time.Tick();
        _time.Tick();

        await using CoapClient client = Client("Dtls");
        Assert.Equal("CN=second", await ServerOfAsync(host, client));
        Assert.Equal((1, 1), (Count(TakenId), Count(NotTakenId)));
    }

    [Fact]
    public async Task An_expired_certificate_is_not_loaded()
    {
        WriteServer("first");
        IHost host = await StartAsync("coaps", "Dtls");
        Write("server", _certificates.Server(["127.0.0.1"], isExpired: true));
        _time.Tick();
        _time.Tick();

        Assert.Single(Logged.Entries, entry => entry.Id == NotTakenId).Text.Mentions("the certificate expired on 2021-01-01");
        await using CoapClient client = Client("Dtls");
        Assert.Equal("CN=first", await ServerOfAsync(host, client));
    }

    [Theory]
    [InlineData("coaps", "Dtls")]
    [InlineData("coaps+tcp", "Tls")]
    public async Task A_revocation_list_ends_the_connections_of_a_revoked_certificate_and_refuses_new_ones(string scheme, string section)
    {
        WriteServer("server");
        WriteLists();
        IHost host = await StartAsync(scheme, section, ("Crl", Name("revoked.crl")), ("ClientCertificates", "Required"));
        X509Certificate2 stolen = _certificates.Client("stolen");
        await using CoapClient thief = Client(section, stolen);
        await using CoapClient good = Client(section, _certificates.Client("good"));
        Assert.Equal("CN=stolen", await WhoAsync(host, thief));
        Assert.Equal("CN=good", await WhoAsync(host, good));
        CoapServer server = host.Services.GetRequiredService<CoapServer>();
        CoapPeer[] before = [.. server.Endpoint.ConnectedPeers];

        _revoked.Add(stolen);
        WriteLists();
        _time.Tick();
        _time.Tick();

        Assert.Contains(Logged.Entries, entry => entry.Id == TakenId
            && entry.Text.Contains("1 connections and sessions ended because their certificates are revoked", Ordinal));
        await Eventually.IsTrueAsync(() => before.Count(peer => peer.IsConnected) == 1);
        Assert.Equal("CN=good", await WhoAsync(host, good));
        await Assert.ThrowsAnyAsync<CoapException>(() => WhoAsync(host, thief));
        await Eventually.IsTrueAsync(() => server.Counters[CoapCounter.CertificatesRefused] > 0);
        await Eventually.IsTrueAsync(() => Logged.Entries.Any(entry => entry.Id is 2102 or 1026
            && entry.Text.Contains("claimed the identity 'CN=stolen'", Ordinal)));
    }

    [Theory]
    [InlineData("coaps", "Dtls")]
    [InlineData("coaps+tcp", "Tls")]
    public async Task Certificates_of_added_authorities_are_accepted(string scheme, string section)
    {
        using TlsCertificates next = new("CN=Next CA");
        WriteServer("server");
        IHost host = await StartAsync(scheme, section, ("ClientCertificates", "Required"));
        await using CoapClient early = Client(section, next.Client("meter"));
        await Assert.ThrowsAnyAsync<CoapException>(() => WhoAsync(host, early));

        File.AppendAllText(Name("authorities.pem"), "\n" + next.Authority.ExportCertificatePem());
        _time.Tick();
        _time.Tick();

        await using CoapClient client = Client(section, next.Client("meter"));
        Assert.Equal("CN=meter", await WhoAsync(host, client));
    }

    [Theory]
    [InlineData("coaps", "Dtls")]
    [InlineData("coaps+tcp", "Tls")]
    public async Task A_hosted_client_renews_its_certificate_and_ends_connections_to_a_revoked_server(string scheme, string section)
    {
        WriteServer("server");
        Write("client", _certificates.Client("old"));
        WriteLists();
        HostApplicationBuilder builder = Builder(
        [
            .. ServerSettings(scheme, section, ("ClientCertificates", "Required")),
            ($"Coap:Client:{section}:Certificate", Name("client.pem")), ($"Coap:Client:{section}:Key", Name("client.key")),
            ($"Coap:Client:{section}:Authorities", Name("authorities.pem")), ($"Coap:Client:{section}:Crl", Name("revoked.crl")),
        ]);
        Map(builder);
        builder.Services.AddCoapClient(options => options.Endpoint.TimeProvider = _time).UseDtls();
        IHost host = await StartAsync(builder);
        ICoapClient client = host.Services.GetRequiredService<ICoapClient>();
        CoapServer server = host.Services.GetRequiredService<CoapServer>();
        await Within(client.GetAsync($"{AddressOf(host)}/who")).Says("CN=old");

        Write("client", _certificates.Client("new"));
        _time.Tick();
        _time.Tick();
        Assert.Equal(1, server.Endpoint.Disconnect(_ => true, "Test."));
        await Eventually.IsTrueAsync(() => ((IEndpointClient)client).Endpoint.ConnectedPeers.Count == 0);
        await Within(client.GetAsync($"{AddressOf(host)}/who")).Says("CN=new");

        _revoked.Add(_serverCertificate!);
        WriteLists();
        _time.Tick();
        _time.Tick();
        await Eventually.IsTrueAsync(() => ((IEndpointClient)client).Endpoint.ConnectedPeers.Count == 0);
        await Assert.ThrowsAnyAsync<CoapException>(() => client.GetAsync($"{AddressOf(host)}/who"));
    }

    [Fact]
    public async Task An_outdated_revocation_list_is_logged_once_as_a_Warning_and_stays_in_force()
    {
        WriteServer("server");
        X509Certificate2 stolen = _certificates.Client("stolen");
        _revoked.Add(stolen);
        WriteLists(isDue: true);
        IHost host = await StartAsync("coaps", "Dtls", ("Crl", Name("revoked.crl")), ("ClientCertificates", "Required"));
        _time.Tick();
        _time.Tick();

        (LogLevel level, _, string text) = Assert.Single(Logged.Entries, entry => entry.Id == DueId);
        Assert.Equal(LogLevel.Warning, level);
        text.Mentions(Name("revoked.crl"));
        await using CoapClient thief = Client("Dtls", stolen);
        await Assert.ThrowsAnyAsync<CoapException>(() => WhoAsync(host, thief));
    }

    [Fact]
    public async Task Changed_configuration_is_logged_as_a_Warning_with_the_keys_but_without_values()
    {
        WriteServer("first");
        HostApplicationBuilder builder = Builder(ServerSettings("coaps", "Dtls"));
        Map(builder);
        IHost host = await StartAsync(builder);
        IConfigurationRoot configuration = (IConfigurationRoot)host.Services.GetRequiredService<IConfiguration>();
        configuration.Reload();
        Assert.Equal(0, Count(ChangedId));

        configuration["Coap:Server:Dtls:Certificate"] = "/other/path.pem";
        configuration["Coap:Server:Dtls:Psk:meter"] = "a secret";
        configuration.Reload();
        configuration.Reload();

        (LogLevel level, _, string text) = Assert.Single(Logged.Entries, entry => entry.Id == ChangedId);
        Assert.Equal(LogLevel.Warning, level);
        text.Mentions("Coap:Server:Dtls:Certificate, Coap:Server:Dtls:Psk:meter");
        text.Omits("secret");
        text.Omits("path.pem");
    }

    [Theory]
    [InlineData("Dtls", "coaps")]
    [InlineData("Tls", "coaps+tcp")]
    public async Task Revocation_lists_require_the_authorities_that_signed_them(string section, string scheme)
    {
        WriteServer("server");
        WriteLists();
        HostApplicationBuilder builder = Builder(
            [.. ServerSettings(scheme, section, ("Crl", Name("revoked.crl")), ("Authorities", null))]);
        Map(builder);
        Assert.Contains(await StartFailuresAsync(builder), failure => failure.StartsWith(
            $"Coap:Server:{section}:Crl is set, but Coap:Server:{section}:Authorities is not.", Ordinal));
    }

    private string Name(string file) => Path.Combine(Folder, file);

    private void WriteServer(string name)
    {
        _serverCertificate = _certificates.Server(["127.0.0.1"], subject: new X500DistinguishedName($"CN={name}"));
        Write("server", _serverCertificate);
    }

    // Files of other lengths, because several are written within one tick of the clock of a file system.
    private void Write(string name, X509Certificate2 certificate)
    {
        string end = new('\n', ++_versions);
        using ECDsa key = certificate.GetECDsaPrivateKey()!;
        File.WriteAllText(Name(name + ".pem"), certificate.ExportCertificatePem() + end);
        File.WriteAllText(Name(name + ".key"), key.ExportPkcs8PrivateKeyPem() + end);
    }

    private void WriteLists(bool isDue = false)
    {
        CertificateRevocationListBuilder builder = new();
        _revoked.ForEach(certificate => builder.AddEntry(certificate));
        DateTimeOffset next = isDue ? new(2022, 1, 1, 0, 0, 0, TimeSpan.Zero) : new(2099, 1, 1, 0, 0, 0, TimeSpan.Zero);
        byte[] list = builder.Build(_certificates.Authority, ++_versions, next, HashAlgorithmName.SHA256,
            thisUpdate: new(2021, 1, 1, 0, 0, 0, TimeSpan.Zero));
        File.WriteAllText(Name("revoked.crl"), PemEncoding.WriteString("X509 CRL", list) + new string('\n', _versions));
    }

    private void Swap(string name)
    {
        string version = $"..{name}";
        Directory.CreateDirectory(Name(version));
        Write(Path.Combine(version, "server"), _certificates.Server(["127.0.0.1"], subject: new X500DistinguishedName($"CN={name}")));
        if (Directory.Exists(Name("..data")))
        {
            Directory.Delete(Name("..data"));
        }

        Directory.CreateSymbolicLink(Name("..data"), version);
    }

    private (string Key, string? Value)[] ServerSettings(string scheme, string section, params (string Key, string? Value)[] settings)
    {
        if (!File.Exists(Name("authorities.pem")))
        {
            File.WriteAllText(Name("authorities.pem"), _certificates.Authority.ExportCertificatePem());
        }

        return
        [
            ("Coap:Server:Endpoints", $"{scheme}://127.0.0.1:0"),
            ($"Coap:Server:{section}:Certificate", Name("server.pem")), ($"Coap:Server:{section}:Key", Name("server.key")),
            ($"Coap:Server:{section}:Authorities", Name("authorities.pem")),
            .. settings.Select(setting => ($"Coap:Server:{section}:{setting.Key}", setting.Value)),
        ];
    }

    private void Map(HostApplicationBuilder builder)
    {
        ICoapServerBuilder server = builder.Services.AddCoapServer(options => options.Endpoint.TimeProvider = _time).UseDtls();
        server.MapGet("/who", request => request.Peer.Identity switch
        {
            CoapDtlsPeerIdentity { Certificate: { } certificate } => certificate.Subject,
            CoapTlsPeerIdentity { Certificate: { } certificate } => certificate.Subject,
            _ => "none",
        });
    }

    private async Task<IHost> StartAsync(string scheme, string section, params (string Key, string? Value)[] settings)
    {
        HostApplicationBuilder builder = Builder(ServerSettings(scheme, section, settings));
        Map(builder);
        return await StartAsync(builder);
    }

    private CoapClient Client(string section, X509Certificate2? certificate = null)
    {
        CoapEndpointOptions options = new();
        if (section == "Tls")
        {
            options.Tls = new CoapTlsOptions { Client = new() { CertificateChainPolicy = _certificates.Trust() } };
            options.Tls.Client.ClientCertificates = certificate is null ? null : [certificate];
            return new CoapClient(options);
        }

        return new CoapClient(options.UseDtls(new CoapDtlsOptions
        {
            Client = new CoapDtlsClientOptions { Certificate = certificate, TrustedAuthorities = { _certificates.Authority } },
            RetransmitTimeout = FromMilliseconds(200),
            HandshakeTimeout = FromSeconds(30),
        }));
    }

    private static async Task<string> WhoAsync(IHost host, CoapClient client) =>
        (await Within(client.GetAsync(AddressOf(host) + "/who"))).EnsureSuccess().GetText();

    private static async Task<string> ServerOfAsync(IHost host, CoapClient client)
    {
        Assert.Equal("none", await WhoAsync(host, client));
        return ((IEndpointClient)client).Endpoint.ConnectedPeers[0].Identity switch
        {
            CoapDtlsPeerIdentity dtls => dtls.Certificate!.Subject,
            object identity => ((CoapTlsPeerIdentity)identity).Certificate!.Subject,
            null => "none",
        };
    }
}
