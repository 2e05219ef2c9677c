namespace CoAP.NET.Dtls.Tests.Options;

public sealed class SettingsTests : IDisposable
{
    private readonly TemporaryFiles _files = new();
    private readonly BenchAuthority _authority = new();

    public void Dispose()
    {
        _files.Dispose();
        _authority.Dispose();
    }

    [Fact]
    [Rfc("7252-9.1.3.1-1")]
    public void The_mandatory_CoAP_suites_are_first_and_suites_depend_on_the_credentials()
    {
        CoapDtlsOptions options = new()
        {
            Server = new CoapDtlsServerOptions { PskStore = new CoapPskDictionary(), Certificate = _authority.Issue("device") },
            Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential("a", new byte[16]) },
        };

        Assert.Equal(
            [CoapDtlsCipherSuite.PskAes128Ccm8, CoapDtlsCipherSuite.EcdheEcdsaAes128Ccm8],
            CoapDtlsOptions.DefaultCipherSuites.Take(2));
        Assert.Equal(
            CipherSuite.All.Count(static suite => suite is { KeyLength: 16, KeyExchange: not KeyExchange.EcdhePsk }),
            CoapDtlsOptions.DefaultCipherSuites.Count);
        Assert.Equal(CoapDtlsOptions.DefaultCipherSuites.Select(suite => (int)suite),
            ConfiguredCipherSuites.OfServer(options).Select(suite => (int)suite.Id));
        Assert.All(ConfiguredCipherSuites.OfClient(options), suite => Assert.True(suite.UsesPreSharedKey));
        Assert.Equal(3, ConfiguredCipherSuites.OfClient(options).Count);
    }

    [Fact]
    public void A_client_with_a_key_accepts_certificates_only_when_certificate_options_are_set()
    {
        CoapDtlsOptions options = new()
        {
            Client = new CoapDtlsClientOptions
            {
                Psk = new CoapPskCredential("a", new byte[16]),
                TrustedAuthorities = { _authority.Certificate }
            }
        };
        Assert.Equal(6, ConfiguredCipherSuites.OfClient(options).Count);

        options = new() { Client = new CoapDtlsClientOptions() };
        Assert.Equal(3, ConfiguredCipherSuites.OfClient(options).Count);
        Assert.All(ConfiguredCipherSuites.OfClient(options), suite => Assert.False(suite.UsesPreSharedKey));
    }

    [Fact]
    public void Named_suites_keep_their_order()
    {
        CoapDtlsOptions options = new()
        {
            Client = new CoapDtlsClientOptions(),
            CipherSuites = { CoapDtlsCipherSuite.EcdheEcdsaAes128GcmSha256, CoapDtlsCipherSuite.EcdheEcdsaAes128Ccm8,
                CoapDtlsCipherSuite.EcdheEcdsaAes128GcmSha256 }
        };

        Assert.Equal([0xC02B, 0xC0AE], ConfiguredCipherSuites.OfClient(options).Select(suite => (int)suite.Id));
    }

    [Fact]
    public void Limits_and_times_of_the_options_are_applied()
    {
        CoapDtlsOptions options = new()
        {
            Server = new CoapDtlsServerOptions
            {
                PskStore = new CoapPskDictionary(),
                MaxSessions = 7,
                MaxSessionsPerAddress = 8,
                MaxSessionsPerIdentity = 9,
                MaxHandshakes = 6,
                MaxHandshakesPerAddress = 5,
                SessionIdleTimeout = FromHours(4),
                PskIdentityHint = "hint"
            },
            Client = new CoapDtlsClientOptions { SessionIdleTimeout = FromHours(3), MaxResumableSessions = 2 },
            HandshakeTimeout = FromSeconds(9),
            RetransmitTimeout = FromSeconds(2),
            MaxDatagramSize = 500,
        };

        DtlsSettings settings = DtlsSettings.From(options, isServer: true);
        SharedHandshakeContext server = settings.MakeServerContext(TimeProvider.System);
        SharedHandshakeContext client = settings.MakeClientContext();

        Assert.Equal(new DtlsServerLimits
        {
            MaxSessions = 7,
            MaxSessionsPerAddress = 8,
            MaxSessionsPerIdentity = 9,
            MaxHandshakes = 6,
            MaxHandshakesPerAddress = 5,
            IdleTimeout = FromHours(4),
            HandshakeTimeout = FromSeconds(9)
        }, settings.ServerLimits);
        Assert.Equal(FromHours(3), settings.Client.IdleTimeout);
        Assert.Equal(FromSeconds(9), settings.Client.HandshakeTimeout);
        Assert.Equal(2, settings.Client.MaxResumable);
        Assert.Equal("hint", server.Settings.PskIdentityHint);
        Assert.All(new[] { server, client },
            context => Assert.Equal((500, FromSeconds(2)), (context.Settings.Mtu, context.Settings.RetransmitTimeout)));
        Assert.True(server.HasCid && client.HasCid);
        Assert.Equal(8, server.Settings.OwnCidLength);
    }

    [Fact]
    public void Sessions_are_resumed_only_by_servers_with_the_same_trust_settings()
    {
        using BenchAuthority one = new("one");
        using BenchAuthority other = new("other");
        using X509Certificate2 own = one.Issue("device.example");
        byte[] Trust(Action<CoapDtlsServerOptions> configure)
        {
            CoapDtlsServerOptions server = new() { Certificate = own, RequireClientCertificate = true };
            configure(server);
            SharedHandshakeContext context = DtlsSettings.From(new CoapDtlsOptions { Server = server }, isServer: true)
                .MakeServerContext(TimeProvider.System);
            return context.Settings.Trust.ToArray();
        }

        byte[][] all =
        [
            Trust(server => server.TrustedAuthorities.Add(one.Certificate)),
            Trust(server => server.TrustedAuthorities.Add(other.Certificate)),
            Trust(server => server.TrustedAuthorities.AddRange(new X509Certificate2Collection { one.Certificate, other.Certificate })),
            Trust(server => server.ValidateClientCertificate = (_, _, _, _) => new(true)),
        ];
        Assert.Equal(4, all.Select(Convert.ToHexString).Distinct().Count());
        Assert.Equal(all[2],
            Trust(server => server.TrustedAuthorities.AddRange(new X509Certificate2Collection { other.Certificate, one.Certificate })));
    }

    [Fact]
    public async Task A_key_is_selected_by_server_and_hint()
    {
        CoapAddress address = CoapAddress.FromIPv4(0xC0000201, 5684);
        CoapPskCredential own = new("own", new byte[] { 1 });
        DtlsSettings one = DtlsSettings.From(new CoapDtlsOptions { Client = new CoapDtlsClientOptions { Psk = own } }, isServer: false);
        DtlsSettings chosen = DtlsSettings.From(
            new CoapDtlsOptions
            {
                Client = new CoapDtlsClientOptions
                {
                    SelectPsk = (server, _) =>
                        new(server is { Host: "a.example", IdentityHint: "hint" }
                            && server.RemoteEndPoint.Equals(address.ToIPEndPoint()) ? own : null)
                }
            }, isServer: false);
        DtlsSettings none = DtlsSettings.From(new CoapDtlsOptions { Client = new CoapDtlsClientOptions() }, isServer: false);

        Assert.Same(own, await one.Client.SelectPsk!(new CoapDtlsTargetServer(null, address, null), default));
        Assert.Same(own, await chosen.Client.SelectPsk!(new CoapDtlsTargetServer("a.example", address, "hint"), default));
        Assert.Null(await chosen.Client.SelectPsk!(new CoapDtlsTargetServer("b.example", address, "hint"), default));
        Assert.Null(none.Client.SelectPsk);
    }

    [Fact]
    public void A_key_log_must_be_writable()
    {
        DtlsSettings settings = DtlsSettings.From(
            new CoapDtlsOptions { Client = new CoapDtlsClientOptions(), KeyLogFile = _files.Name("missing/keys.log") }, isServer: false);
        Assert.Contains("KeyLogFile", Assert.Throws<CoapDtlsException>(() => settings.MakeClientContext()).Message,
            Ordinal);
    }
}
