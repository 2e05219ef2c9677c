using System.Linq.Expressions;
using CoAP.NET.Dtls.Steering;

namespace CoAP.NET.Dtls.Tests.Options;

public sealed class OptionCheckTests
{
    private static readonly BenchAuthority s_authority = new();
    private static readonly ECDsa s_key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
    private static readonly X509Certificate2 s_certificate = s_authority.Issue("device.example");

    public static TheoryData<string, string> Mistakes => new()
    {
        { "nothing", "neither Server nor Client" },
        { "server without credentials", "Set PskStore" },
        { "no own key", "without its private key" },
        { "rsa", "ECDSA key on P-256" },
        { "may not sign", "digitalSignature" },
        { "client certificates without own", "no Certificate of its own" },
        { "client certificates of anybody", "TrustedAuthorities" },
        { "authorities that nobody asks for", "RequireClientCertificate" },
        { "intermediates alone", "Set Certificate" },
        { "bad hint", "PskIdentityHint" },
        { "suite without certificate", "TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8" },
        { "suite without key", "TLS_PSK_WITH_AES_128_CCM" },
        { "no suite", "which this library does not offer" },
        { "certificate and raw key", "Leave one out" },
        { "raw key on another curve", "P-256" },
        { "no suite for the server", "credentials of Server" },
        { "raw keys of anybody", "Set ValidateClientPublicKey" },
        { "raw keys or certificates", "set RequireClientCertificate and ValidateClientPublicKey" },
        { "steering without a backup", "Set SessionBackup" },
        { "two places to resume from", "Leave MaxResumableSessions out" },
        { "raw keys without own", "goes with a Certificate or a RawPublicKey" },
    };

    [Theory]
    [MemberData(nameof(Mistakes))]
    public void Invalid_options_are_refused_when_they_are_used(string mistake, string says)
    {
        CoapDtlsOptions options = Make(mistake);

        ArgumentException exception = Assert.ThrowsAny<ArgumentException>(() => new CoapEndpointOptions().UseDtls(options));

        Assert.Contains(says, exception.Message, Ordinal);
        Assert.Throws(exception.GetType(), () => new CoapDtlsTransport(options));
    }

    [Fact]
    public void An_endpoint_without_server_credentials_cannot_listen()
    {
        CoapEndpointOptions options = new CoapEndpointOptions().UseDtls(new CoapDtlsOptions { Client = new CoapDtlsClientOptions() });

        ArgumentException exception = Assert.Throws<ArgumentException>(() => new CoapServer(options).Listen("coaps://127.0.0.1:0"));

        Assert.Contains("Call ListenSecure in place of Listen", exception.Message, Ordinal);
    }

    [Fact]
    public void A_value_out_of_range_is_refused_with_the_range()
    {
        CoapDtlsOptions options = new();
        CoapDtlsServerOptions server = new();

        ArgumentOutOfRangeException exception = Assert.Throws<ArgumentOutOfRangeException>(() => options.MaxDatagramSize = 255);
        Assert.Contains("256 to 16,000", exception.Message, Ordinal);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.RetransmitTimeout = FromMilliseconds(1));
        Assert.Throws<ArgumentOutOfRangeException>(() => options.HandshakeTimeout = Timeout.InfiniteTimeSpan);
        Assert.Throws<ArgumentOutOfRangeException>(() => server.MaxSessions = 0);
        Assert.Throws<ArgumentOutOfRangeException>(() => server.MaxHandshakes = 0);
        Assert.Throws<ArgumentOutOfRangeException>(() => server.MaxHandshakesPerAddress = -1);
        Assert.Throws<ArgumentOutOfRangeException>(() => server.SessionIdleTimeout = TimeSpan.Zero);
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapDtlsClientOptions { MaxResumableSessions = -1 });
        Assert.Equal(1_200, options.MaxDatagramSize);
    }

    [Fact]
    public void A_second_call_of_UseDtls_replaces_the_first()
    {
        CoapDtlsOptions dtls = new() { Client = new CoapDtlsClientOptions() };

        CoapEndpointOptions options = new CoapEndpointOptions().UseDtls(dtls).UseDtls(dtls);

        Assert.Equal("coaps", Assert.Single(options.Transports.Factories).Scheme);
    }

    [Fact]
    public async Task Options_in_use_refuse_changes_and_their_certificate_may_be_disposed()
    {
        using X509Certificate2 certificate = s_authority.Issue("device.example");
        CoapDtlsOptions dtls = new() { Server = new CoapDtlsServerOptions { Certificate = certificate } };
        CoapEndpointOptions options = new CoapEndpointOptions().UseDtls(dtls);

        Assert.Throws<InvalidOperationException>(() => dtls.Server = null);
        Assert.Throws<InvalidOperationException>(() => dtls.Server.MaxSessions = 1);
        certificate.Dispose();
        await using CoapServer server = new(options);
        server.Listen("coaps://127.0.0.1:0");
        await server.StartAsync();

        Assert.Equal("coaps", Assert.Single(server.LocalEndpoints).Scheme);
    }

    [Fact]
    public void Copies_of_options_have_every_property()
    {
        X509Certificate2 authority = s_authority.Certificate;
        CoapDtlsOptions options = new()
        {
            Server = new CoapDtlsServerOptions
            {
                Certificate = s_certificate, Intermediates = { authority }, TrustedAuthorities =
                { authority }
            },
            Client = new CoapDtlsClientOptions
            {
                Certificate = s_certificate, Intermediates = { authority }, TrustedAuthorities =
                { authority }
            },
            CipherSuites = { CoapDtlsCipherSuite.PskAes128Ccm8 }
        };
        foreach ((object part, Func<object> copy) in new (object, Func<object>)[]
        {
            (options, options.Clone), (options.Server, options.Server.Clone), (options.Client, options.Client.Clone)
        })
        {
            foreach (System.Reflection.PropertyInfo property in part.GetType().GetProperties(OfInstances)
                .Where(property => property.GetMethod is { IsStatic: false }
                    && !typeof(CoapDtlsServerOptions).IsAssignableFrom(property.PropertyType)
                    && !typeof(CoapDtlsClientOptions).IsAssignableFrom(property.PropertyType)))
            {
                if (property.CanWrite && Other(property.GetValue(part), property.PropertyType) is { } other)
                {
                    property.SetValue(part, other);
                }

                Assert.Equal(property.GetValue(part), property.GetValue(copy()));
            }
        }
    }

    [Fact]
    public void Setting_a_certificate_after_the_options_were_used_is_an_error_that_names_SelectCredentials()
    {
        CoapDtlsServerOptions server = new() { PskStore = new CoapPskDictionary() };
        CoapDtlsClientOptions client = new();
        _ = new CoapEndpointOptions().UseDtls(new CoapDtlsOptions { Server = server, Client = client });

        Assert.All(
            new Action[] { () => server.Certificate = null, () => client.Certificate = null, () => server.RevocationLists = null,
                () => server.SelectCredentials = null },
            set => Assert.Contains("set SelectCredentials before", Assert.Throws<InvalidOperationException>(set).Message,
                Ordinal));
    }

    private const System.Reflection.BindingFlags OfInstances =
        System.Reflection.BindingFlags.Instance | System.Reflection.BindingFlags.Public | System.Reflection.BindingFlags.NonPublic;

    private static object? Other(object? value, Type type) => value switch
    {
        bool b => !b,
        int i => i + 1,
        TimeSpan time => time + FromSeconds(1),
        _ when type == typeof(TimeSpan?) => FromSeconds(1),
        X509RevocationMode => X509RevocationMode.Online,
        _ when type == typeof(string) => "text",
        _ when type == typeof(ICoapPskStore) => new CoapPskDictionary(),
        _ when type == typeof(ECDsa) => s_key,
        _ when type == typeof(CoapDtlsSigner) => new CoapDtlsSigner(s_key.ExportSubjectPublicKeyInfo(), (_, _, _) => default),
        _ when type == typeof(IServerResumptionCache) => new ServerResumptionCache(),
        _ when type == typeof(ICoapDtlsResumptionStore) => new SharedSessions(),
        _ when type == typeof(CoapDtlsSessionBackupOptions) => new CoapDtlsSessionBackupOptions(new MemorySessionBackup(), new byte[16]),
        _ when type == typeof(ICoapDtlsSteering) => new NoSteering(),
        _ when type == typeof(CoapDtlsServerSessionFile) => new CoapDtlsServerSessionFile("sessions", new byte[16]),
        _ when type == typeof(CoapPskCredential) => new CoapPskCredential("a", new byte[1]),
        _ when typeof(Delegate).IsAssignableFrom(type) => Expression.Lambda(
            type,
            Expression.Default(type.GetMethod("Invoke")!.ReturnType),
            type.GetMethod("Invoke")!.GetParameters().Select(static one => Expression.Parameter(one.ParameterType))).Compile(),
        _ when type == typeof(CoapRevocationLists) =>
            System.Runtime.CompilerServices.RuntimeHelpers.GetUninitializedObject(typeof(CoapRevocationLists)),

        // Copied by content, not by reference.
        _ when type == typeof(X509Certificate2) || type == typeof(CoapDtlsServerOptions) || type == typeof(CoapDtlsClientOptions) => null,
        _ => throw new InvalidOperationException($"A new type of option: {type}."),
    };

    private sealed class NoSteering : ICoapDtlsSteering
    {
        public void Start(CoapDtlsSteeringContext port)
        {
        }

        public byte? SlotOfNewSession() => null;

        public bool TryRelay(byte? slot, CoapAddress remote, ReadOnlySpan<byte> datagram) => false;

        public bool TryEnqueue(int via, byte slot, CoapAddress remote, ReadOnlySpan<byte> datagram) => false;

        public bool TrySendVia(int via, CoapAddress remote, ReadOnlySpan<byte> datagram) => false;
    }

    private static CoapDtlsOptions Make(string mistake)
    {
        CoapDtlsServerOptions psk = new() { PskStore = new CoapPskDictionary() };
        return mistake switch
        {
            "nothing" => new(),
            "steering without a backup" => new() { Server = new() { PskStore = new CoapPskDictionary(), Steering = new NoSteering() } },
            "two places to resume from" => new()
            {
                Server = new() { PskStore = new CoapPskDictionary(), MaxResumableSessions = 1, ResumptionStore = new SharedSessions() },
            },
            "server without credentials" => new() { Server = new() },
            "no own key" => new() { Server = new() { Certificate = s_authority.Certificate.CopyWithoutKey() } },
            "rsa" => new() { Client = new() { Certificate = Rsa() } },
            "may not sign" => new() { Server = new() { Certificate = s_authority.Certificate } },
            "client certificates without own" =>
                new()
                {
                    Server = new()
                    {
                        PskStore = psk.PskStore,
                        RequireClientCertificate = true,
                        TrustedAuthorities = { s_authority.Certificate }
                    }
                },
            "client certificates of anybody" => new() { Server = new() { Certificate = s_certificate, RequireClientCertificate = true } },
            "authorities that nobody asks for" =>
                new() { Server = new() { Certificate = s_certificate, TrustedAuthorities = { s_authority.Certificate } } },
            "intermediates alone" => new() { Client = new() { Intermediates = { s_authority.Certificate } } },
            "bad hint" => new() { Server = new() { PskStore = psk.PskStore, PskIdentityHint = "a\0b" } },
            "suite without certificate" => new() { Server = psk, CipherSuites = { CoapDtlsCipherSuite.EcdheEcdsaAes128Ccm8 } },
            "suite without key" => new() { Client = new(), CipherSuites = { CoapDtlsCipherSuite.PskAes128Ccm } },
            "no suite" => new() { Server = psk, CipherSuites = { (CoapDtlsCipherSuite)0x1301 } },
            "no suite for the server" =>
                new() { Server = psk, Client = new(), CipherSuites = { CoapDtlsCipherSuite.EcdheEcdsaAes128Ccm8 } },
            "certificate and raw key" => new() { Server = new() { Certificate = s_certificate, RawPublicKey = s_key } },
            "raw key on another curve" => new() { Client = new() { RawPublicKey = ECDsa.Create(ECCurve.NamedCurves.nistP384) } },
            "raw keys of anybody" => new() { Server = new() { Certificate = s_certificate, RequireClientPublicKey = true } },
            "raw keys or certificates" => new()
            {
                Server = new()
                {
                    Certificate = s_certificate,
                    RequireClientPublicKey = true,
                    ValidateClientPublicKey = (_, _) => new(true),
                    RequireClientCertificate = true,
                    TrustedAuthorities = { s_authority.Certificate }
                },
            },
            "raw keys without own" =>
                new()
                {
                    Server = new()
                    {
                        PskStore = psk.PskStore,
                        RequireClientPublicKey = true,
                        ValidateClientPublicKey = (_, _) => new(true)
                    }
                },
            _ => throw new ArgumentOutOfRangeException(nameof(mistake)),
        };
    }

    private static X509Certificate2 Rsa()
    {
        using RSA key = RSA.Create(2048);
        return new CertificateRequest("CN=rsa", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1)
            .CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(100));
    }
}
