using CoAP.NET.Composition;

namespace CoAP.NET.Dtls.Tests.Options;

/// <summary>Keys of clients and servers by one call, and what is said when they are missing or wrong. Real clock: sockets.</summary>
public sealed class SecurityExtensionsTests : IDisposable
{
    private const string Secret = "4f0a17c2be5d8891";

    private static readonly byte[] s_key = Convert.FromHexString("8d3f51b2c07a46e99b1e20f4d5a6c733");

    private readonly TemporaryFiles _files = new();
    private readonly BenchAuthority _authority = new();

    public void Dispose()
    {
        _authority.Dispose();
        _files.Dispose();
    }

    [Fact]
    public async Task A_client_with_a_key_gets_a_response_of_a_server_with_that_key()
    {
        await using CoapServer server = await ServeAsync(keys => keys.UsePsk("meter-7", s_key));
        await using CoapClient client = new(o => o.UsePsk("meter-7", s_key));
        Assert.Equal("meter-7", await WhoAsync(client, server));
    }

    [Fact]
    public async Task A_key_may_be_a_literal()
    {
        await using CoapServer server = await ServeAsync(keys => keys.UsePsk("meter-7", "sixteen letters!"u8));
        await using CoapClient client = new(o => o.UsePsk("meter-7", "sixteen letters!"u8));
        Assert.Equal("meter-7", await WhoAsync(client, server));
    }

    [Fact]
    public async Task A_server_uses_keys_from_credentials_files_functions_and_stores()
    {
        CoapPskCredential credential = CoapPskCredential.Parse("meter-7:0x8d3f51b2c07a46e99b1e20f4d5a6c733");
        string file = _files.Write("devices.psk", "meter-8:0x8d3f51b2c07a46e99b1e20f4d5a6c733\n");
        CoapPskDictionary store = new() { { "meter-9", s_key } };

        await using CoapServer several = await ServeAsync(keys => keys.UsePsk(credential).UsePskFile(file));
        await using CoapServer found = await ServeAsync(keys => keys.UsePsk((identity, _) =>
            new ValueTask<ReadOnlyMemory<byte>>(identity == "meter-9" ? s_key : ReadOnlyMemory<byte>.Empty)));
        await using CoapServer stored = await ServeAsync(keys => keys.UsePsk(store));
        await using CoapClient seven = new(o => o.UsePsk(credential));
        await using CoapClient eight = new(o => o.UsePsk("meter-8", s_key));
        await using CoapClient nine = new(o => o.UsePsk("meter-9", s_key));

        Assert.Equal("meter-7", await WhoAsync(seven, several));
        Assert.Equal("meter-8", await WhoAsync(eight, several));
        Assert.Equal("meter-9", await WhoAsync(nine, found));
        Assert.Equal("meter-9", await WhoAsync(nine, stored));
    }

    [Fact]
    public async Task Certificate_files_authenticate_server_and_client()
    {
        (string certificate, string key) = Files("server", _authority.Issue(address: IPAddress.Loopback));
        (string ofClient, string keyOfClient) = Files("client", _authority.Issue(commonName: "meter-7", forServers: false));
        string authorities = _files.Write("ca.pem", _authority.Certificate.ExportCertificatePem());
        using X509Certificate2 other = _authority.Issue(commonName: "meter-8", forServers: false);

        await using CoapServer server = await ServeAsync(
            keys => keys.UseCertificate(certificate, key).RequireClientCertificates(authorities));
        await using CoapClient client = new(o => o.UseCertificate(ofClient, keyOfClient).TrustAuthorities(authorities));
        await using CoapClient second = new(o => o.TrustAuthorities(authorities).UseCertificate(other));
        await using CoapClient without = new(o => o.TrustAuthorities(authorities));

        Assert.Equal("CN=meter-7", await WhoAsync(client, server));
        Assert.Equal("CN=meter-8", await WhoAsync(second, server));
        CoapConnectionException refused = await Assert.ThrowsAsync<CoapConnectionException>(() => WhoAsync(without, server));
        Assert.Contains("this end has neither. Call UseCertificate", refused.Message, Ordinal);
    }

    [Fact]
    public async Task The_options_of_UseDtls_are_kept_and_their_keys_are_used_for_requests_of_the_server()
    {
        CoapEndpointOptions options = new CoapEndpointOptions()
            .UseDtls(new CoapDtlsOptions { Client = new CoapDtlsClientOptions(), HandshakeTimeout = FromSeconds(7) })
            .UsePsk("gateway", s_key);
        await using CoapServer server = new(options);
        server.ListenSecure("coaps://127.0.0.1:0", keys => keys.UsePsk("meter-7", s_key));
        CoapDtlsOptions dtls = ((DtlsTransportFactory)server.Endpoint.Core.Transports.FactoryOf("coaps")!).Options;

        Assert.Equal(FromSeconds(7), dtls.HandshakeTimeout);
        Assert.Equal("gateway", dtls.Client!.Psk!.Identity);
        Assert.NotNull(dtls.Server!.PskStore);
    }

    [Fact]
    public async Task Further_addresses_use_the_keys_of_the_first_address_and_second_keys_are_refused()
    {
        await using CoapServer server = new();
        server.ListenSecure("coaps://127.0.0.1:0", keys => keys.UsePsk("meter-7", s_key)).Listen("coaps://127.0.0.2:0");
        InvalidOperationException twice = Assert.Throws<InvalidOperationException>(
            () => server.ListenSecure("coaps://127.0.0.3:0", keys => keys.UsePsk("meter-8", s_key)));
        Assert.Contains("call Listen for further addresses", twice.Message, Ordinal);
        await server.StartAsync();
        Assert.Equal(2, server.LocalEndpoints.Count);
    }

    [Fact]
    public async Task ListenSecure_refuses_an_address_of_another_scheme_and_listens_on_no_address()
    {
        await using CoapServer server = new();
        ArgumentException other = Assert.Throws<ArgumentException>(
            () => server.ListenSecure("coap://127.0.0.1:0", keys => keys.UsePsk("meter-7", s_key)));
        Assert.Contains("ListenSecure is for coaps://", other.Message, Ordinal);
        Assert.Throws<ArgumentException>(() => server.ListenSecure("coaps://127.0.0.1:0/a", keys => keys.UsePsk("meter-7", s_key)));
        Assert.Null(server.Endpoint.Core.Transports.FactoryOf("coaps"));
    }

    [Fact]
    public async Task Missing_and_wrong_keys_of_a_server_are_reported_by_the_listen_call()
    {
        string broken = _files.Write("broken.psk", $"meter-7 {Secret}\n");
        string same = _files.Write("same.psk", $"meter-7:{Secret}\n");
        string nothing = _files.Write("nothing.pem", "nothing");
        CoapPskDictionary store = [];
        await using CoapServer server = new();

        Assert.Equal(
            "coaps needs keys, but none are set. Call UsePsk or UsePskFile for pre-shared keys, or UseCertificate for a certificate.",
            Said(_ => { }));
        Assert.StartsWith(
            $"ListenSecure:PskFile = '{_files.Name("none.psk")}': there is no file", Said(keys => keys.UsePskFile(_files.Name("none.psk"))),
            Ordinal);
        Assert.Contains("line 1: There is no colon", Said(keys => keys.UsePskFile(broken)), Ordinal);
        Assert.Contains("has a key for this identity too", Said(keys => keys.UsePskFile(same).UsePsk("meter-7", s_key)), Ordinal);
        Assert.Contains("finds all pre-shared keys", Said(keys => keys.UsePskFile(same).UsePsk(store)), Ordinal);
        (Said(keys => keys.UseCertificate(nothing))).Begins($"ListenSecure:Certificate = '{nothing}'");
        Assert.Contains("no Certificate of its own", Said(keys =>
            keys.UsePsk("meter-7", s_key).RequireClientCertificates(
                _files.Write("ca.pem", _authority.Certificate.ExportCertificatePem()))), Ordinal);
        Assert.Contains("16 random ones are right", Assert.Throws<ArgumentException>(
            () => server.ListenSecure("coaps://127.0.0.1:0", keys => keys.UsePsk("meter-7", default))).Message, Ordinal);

        string Said(Action<CoapServerKeys> configure)
        {
            string message = Assert.Throws<CoapCredentialException>(() => server.ListenSecure("coaps://127.0.0.1:0", configure)).Message;
            Assert.DoesNotContain(Secret, message, Ordinal);
            return message;
        }
    }

    [Fact]
    public async Task Listening_and_requests_without_keys_give_the_same_error_with_the_call_that_sets_keys()
    {
        await using CoapServer plain = new();
        await using CoapServer asClient = new(o => o.UsePsk("meter-7", s_key));
        await using CoapClient client = new();
        await using CoapServer server = await ServeAsync(keys => keys.UsePsk("meter-7", s_key));

        Assert.EndsWith(
            MissingTransportMessage.KeysToListen,
                Assert.Throws<ArgumentException>(() => plain.Listen("coaps://127.0.0.1:0")).Message, Ordinal);
        Assert.Equal(
            MissingTransportMessage.KeysToListen, Assert.Throws<ArgumentException>(() => asClient.Listen("coaps://127.0.0.1:0")).Message);
        Assert.Equal(
            MissingTransportMessage.KeysToSend,
                (await Assert.ThrowsAsync<CoapException>(() => client.GetAsync("coaps://127.0.0.1/a"))).Message);
        Assert.All(
            [MissingTransportMessage.KeysToListen, MissingTransportMessage.KeysToSend],
            text => Assert.StartsWith("coaps needs keys, but none are set. ", text, Ordinal));
    }

    [Fact]
    public async Task A_server_with_keys_and_without_an_address_listens_with_DTLS_on_loopback_too()
    {
        await using CoapServer asClient = new(o => o.UsePsk("meter-7", s_key));
        await using CoapServer server = new(o => o.UseDtls(new CoapDtlsOptions
        {
            Server = new CoapDtlsServerOptions { PskStore = new CoapPskDictionary { { "meter-7", s_key } } },
        }));
        asClient.Prepare();
        server.Prepare();

        Assert.Equal([("coap", "localhost", 5683)], AddressesOf(asClient));
        Assert.Equal([("coap", "localhost", 5683), ("coaps", "localhost", 5684)], AddressesOf(server));

        static IEnumerable<(string Scheme, string Host, int Port)> AddressesOf(CoapServer server) =>
            server.Endpoint.Core.Transports.Unopened.Select(static uri => (uri.Scheme, uri.Host, uri.Port));
    }

    [Theory]
    [InlineData("meter-7", "wrong key")]
    [InlineData("meter-8", "")]
    public async Task The_handshake_error_names_the_identity_that_is_unknown_or_has_another_key(string identity, string key)
    {
        string expected =
            $"the identity '{identity}': the pre-shared key is most likely not the one it has for it, or it does not know the identity.";
        await using CoapServer server = await ServeAsync(keys => keys.UsePsk("meter-7", s_key));

        // The client finds out by silence. On a busy machine the handshake does not come as far in a short time.
        string message = "";
        for (TimeSpan limit = FromMilliseconds(500); limit < FromMinutes(2) && !message.Contains(expected, Ordinal); limit *= 2)
        {
            await using CoapClient client = new(o =>
            {
                o.UsePsk(identity, key.Length > 0 ? Encoding.UTF8.GetBytes(key) : s_key);
                o.TryChangeDtls(dtls => dtls.HandshakeTimeout = limit);
            });
            message = (await Assert.ThrowsAsync<CoapConnectionException>(() => WhoAsync(client, server))).Message;
        }

        Assert.Contains(expected, message, Ordinal);
    }

    [Fact]
    public async Task The_error_for_a_certificate_of_an_untrusted_authority_names_the_call_that_trusts_it()
    {
        using X509Certificate2 own = _authority.Issue(forServers: false);
        (string certificate, string key) = Files("server", _authority.Issue(address: IPAddress.Loopback));
        await using CoapServer server = await ServeAsync(keys => keys.UseCertificate(certificate, key));
        await using CoapClient client = new(o => o.UseCertificate(own));
        CoapConnectionException refused = await Assert.ThrowsAsync<CoapConnectionException>(() => WhoAsync(client, server));
        Assert.Contains("which leads to no trusted authority. Add that authority to the trusted ones (TrustAuthorities, "
            + "RequireClientCertificates)", refused.Message, Ordinal);
    }

    [Fact]
    public async Task The_keys_of_a_server_are_overwritten_after_it_has_ended()
    {
        CoapServer server = await ServeAsync(keys => keys.UsePsk("meter-7", s_key));
        CoapPskDictionary kept = (CoapPskDictionary)((DtlsTransportFactory)server.Endpoint.Core.Transports.FactoryOf("coaps")!)
            .Options.Server!.PskStore!;
        Assert.Equal(1, kept.Count);
        await server.DisposeAsync();
        await Eventually.IsTrueAsync(() => kept.Count == 0);
    }

    private static async Task<CoapServer> ServeAsync(Action<CoapServerKeys> configure)
    {
        CoapServer server = new();
        server.ListenSecure("coaps://127.0.0.1:0", configure);
        server.MapGet("/who", request =>
        {
            CoapDtlsPeerIdentity identity = (CoapDtlsPeerIdentity)request.Peer.Identity!;
            return CoapResults.Text(identity.PskIdentity ?? identity.Certificate!.Subject);
        });
        await server.StartAsync();
        return server;
    }

    private static async Task<string> WhoAsync(CoapClient client, CoapServer server) =>
        (await client.GetAsync($"{server.LocalEndpoints[0]}who", TestContext.Current.CancellationToken)).GetText();

    private (string Certificate, string Key) Files(string name, X509Certificate2 issued)
    {
        using X509Certificate2 certificate = issued;
        using ECDsa key = certificate.GetECDsaPrivateKey()!;
        return (_files.Write($"{name}.pem", certificate.ExportCertificatePem()),
            _files.Write($"{name}.key", key.ExportPkcs8PrivateKeyPem()));
    }
}
