namespace CoAP.NET.Edhoc.Tests.Coap;

/// <summary>Which server a client reaches, when it trusts several peers.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ExpectedServerTests
{
    private const string ServerAuthentication = "1.3.6.1.5.5.7.3.1";
    private const string ClientAuthentication = "1.3.6.1.5.5.7.3.2";
    private const string Address = "2001:db8::1";

    [Theory]
    [InlineData(Address, ServerAuthentication, true)]
    [InlineData(Address, null, true)]
    [InlineData(Address, ClientAuthentication, false)]
    [InlineData("2001:db8::7", ServerAuthentication, false)]
    [InlineData("door.example", ServerAuthentication, false)]
    [InlineData(null, ServerAuthentication, false)]
    [InlineData(null, null, false)]
    public async Task A_server_certificate_must_be_for_the_host_of_the_URI_and_for_server_use(
        string? name, string? purpose, bool isAccepted)
    {
        foreach (bool isReverse in (bool[])[false, true])
        {
            using Issuer issuer = new();
            await using EdhocWorld world = WorldOf(issuer, name, purpose);
            await world.Server.StartAsync();
            OscoreContexts contexts = new();
            EdhocClient client = ClientOf(world, issuer, isReverse, options => options.Contexts = contexts);

            if (isAccepted)
            {
                using EdhocResult session = await ConnectAsync(world, client, isReverse);
                Assert.Equal(1, contexts.Count);
                continue;
            }

            EdhocException error = await Assert.ThrowsAsync<EdhocException>(() => ConnectAsync(world, client, isReverse));

            Assert.False(error.IsOfPeer);
            error.Mentions($"carry '{Address}'");
            EdhocException.OfPeer(error.ToMessage()).Message.Omits(Address);
            Assert.Equal(0, contexts.Count);
            if (!isReverse)
            {
                // The client sent no message_3, which would tell who it is.
                Assert.Empty(world.Identities);
            }
        }
    }

    [Theory]
    [InlineData("door.example", true)]
    [InlineData("bulb.example", false)]
    public async Task A_client_that_expects_a_name_requires_a_certificate_for_that_name_instead_of_the_host(string name, bool isAccepted)
    {
        using Issuer issuer = new();
        await using EdhocWorld world = WorldOf(issuer, name, ServerAuthentication);
        await world.Server.StartAsync();
        EdhocClient client = ClientOf(world, issuer, false, options => options.ExpectServer(EdhocWorld.Uri, "door.example"));

        if (isAccepted)
        {
            using EdhocResult session = await ConnectAsync(world, client, false);
            return;
        }

        await Assert.ThrowsAsync<EdhocException>(() => ConnectAsync(world, client, false));
    }

    [Fact]
    public async Task A_certificate_that_the_application_identifies_is_accepted_by_its_identity()
    {
        using Issuer issuer = new();
        await using EdhocWorld world = WorldOf(issuer, null, null);
        await world.Server.StartAsync();
        EdhocClient client = ClientOf(world, issuer, false, options =>
        {
            options.Trust = new EdhocCertificateTrust(issuer.Certificate)
            {
                TimeProvider = issuer.Time,
                Identify = owner => owner.Subject,
            };
            options.ExpectServer(EdhocWorld.Uri, "CN=device");
        });

        using EdhocResult session = await ConnectAsync(world, client, false);

        Assert.Equal("CN=device", session.PeerIdentity);
    }

    [Theory]
    [InlineData(ClientAuthentication, true)]
    [InlineData(null, true)]
    [InlineData(ServerAuthentication, false)]
    public async Task A_certificate_for_servers_only_is_refused_for_a_client(string? purpose, bool isAccepted)
    {
        using Issuer issuer = new();
        using EdhocPrivateKey key = issuer.Issue("desk", out byte[] certificate, purpose: purpose);
        await using EdhocWorld world = new(options =>
            options.Trust = new EdhocCertificateTrust(issuer.Certificate) { TimeProvider = issuer.Time });
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(options =>
        {
            options.Method = EdhocMethod.SignatureStatic;
            options.Credentials.Add(OwnOf(certificate, key));
        });

        if (isAccepted)
        {
            using EdhocResult session = await ConnectAsync(world, client, false);
            return;
        }

        Assert.True((await Assert.ThrowsAsync<EdhocException>(() => ConnectAsync(world, client, false))).IsOfPeer);
        Assert.Empty(world.Identities);
    }

    [Theory]
    [Rfc("9528-5.4.2-3")]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_client_that_trusts_several_servers_must_name_the_expected_server(bool isReverse)
    {
        await using EdhocWorld world = new(options => options.ReverseMethod = EdhocMethod.StaticStatic);
        await world.Server.StartAsync();
        EdhocCredential other = Parties.Own(EdhocCurve.P256, 0x33, "other").Credential;
        OscoreContexts contexts = new();
        EdhocClient unsure = world.MakeEdhoc(options => Fill(options, null));
        EdhocClient sure = world.MakeEdhoc(options => Fill(options, world.ServerKey.Credential));
        EdhocClient wrong = world.MakeEdhoc(options => Fill(options, other));

        EdhocException error = await Assert.ThrowsAsync<EdhocException>(() => ConnectAsync(world, unsure, isReverse));
        error.Mentions("EdhocClientOptions.ExpectServer");
        error = await Assert.ThrowsAsync<EdhocException>(() => ConnectAsync(world, wrong, isReverse));
        error.Mentions("not that of the expected peer");
        Assert.Equal(0, contexts.Count);
        using EdhocResult session = await ConnectAsync(world, sure, isReverse);
        Assert.Equal("server", session.PeerCredential.Subject);

        void Fill(EdhocClientOptions options, EdhocCredential? expected)
        {
            options.Contexts = contexts;
            options.Trust = new EdhocCredentialStore().Add(world.ServerKey.Credential).Add(other);
            if (expected is not null)
            {
                options.ExpectServer($"{EdhocWorld.Uri}:5683/", expected);
            }
        }
    }

    [Theory]
    [InlineData("door 7", "door 7", null, true)]
    [InlineData("door 7", "door 8", null, false)]
    [InlineData("door 7", "door 8", "door 7", true)]
    [InlineData("door 7", "door 8", "door 8", false)]
    public async Task A_server_is_accepted_only_if_its_credential_has_the_expected_identity(
        string identity, string otherIdentity, string? expected, bool isAccepted)
    {
        await using EdhocWorld world = new();
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(options =>
        {
            options.Trust = new EdhocCredentialStore()
                .Add(EdhocCredential.OfCcs(world.ServerKey.Credential.Encoded.Span, identity))
                .Add(EdhocCredential.OfCcs(Parties.Own(EdhocCurve.P256, 0x33, "other").Credential.Encoded.Span, otherIdentity));
            if (expected is not null)
            {
                options.ExpectServer(EdhocWorld.Uri, expected);
            }
        });

        if (isAccepted)
        {
            using EdhocResult session = await ConnectAsync(world, client, false);
            Assert.Equal(identity, session.PeerIdentity);
            return;
        }

        await Assert.ThrowsAsync<EdhocException>(() => ConnectAsync(world, client, false));
        Assert.Empty(world.Identities);
    }

    [Fact]
    [Rfc("9528-3.5-1")]
    public async Task A_credential_resolver_gets_the_target_and_cannot_replace_the_expected_server()
    {
        await using EdhocWorld world = new();
        await world.Server.StartAsync();
        AnyCredential trust = new(world.ServerKey.Credential);
        EdhocClient client = world.MakeEdhoc(options =>
        {
            options.Trust = trust;
            options.ExpectServer(EdhocWorld.Uri, "door 7");
        });

        await Assert.ThrowsAsync<EdhocException>(() => ConnectAsync(world, client, false));

        Assert.Equal(
            (true, "[2001:db8::1]", "door 7"), (trust.Claim?.IsServer == true, trust.Claim?.Target?.Host, trust.Claim?.Expected));
        Assert.Empty(world.Identities);
    }

    private static EdhocWorld WorldOf(Issuer issuer, string? name, string? purpose)
    {
        EdhocPrivateKey key = issuer.Issue("device", out byte[] certificate, X509KeyUsageFlags.DigitalSignature, name, purpose);
        return new EdhocWorld(options =>
        {
            options.Credentials.Clear();
            options.Credentials.Add(OwnOf(certificate, key));
            options.ReverseMethod = EdhocMethod.SignatureStatic;
        });
    }

    [Fact]
    public async Task A_server_is_named_by_an_absolute_CoAP_URI()
    {
        await using EdhocWorld world = new();
        EdhocClient client = world.MakeEdhoc();
        await Assert.ThrowsAsync<ArgumentException>(() => client.ConnectAsync("/door"));
        await Assert.ThrowsAsync<ArgumentException>(() => client.ConnectReverseAsync("/door"));
        Assert.Throws<ArgumentException>(() => new EdhocClientOptions().ExpectServer("http://door.example", "door"));
    }

    private static EdhocClient ClientOf(EdhocWorld world, Issuer issuer, bool isReverse, Action<EdhocClientOptions> configure) =>
        world.MakeEdhoc(options =>
        {
            options.Method = isReverse ? options.Method : EdhocMethod.StaticSignature;
            options.Trust = new EdhocCertificateTrust(issuer.Certificate) { TimeProvider = issuer.Time };
            configure(options);
        });

    private static EdhocOwnCredential OwnOf(byte[] certificate, EdhocPrivateKey key) =>
        new(EdhocCredential.OfCertificate(certificate), EdhocCredentialId.OfCertificateChain(certificate), key);

    private static Task<EdhocResult> ConnectAsync(EdhocWorld world, EdhocClient client, bool isReverse) => world.RunAsync(
        () => isReverse ? client.ConnectReverseAsync(EdhocWorld.Uri) : client.ConnectAsync(EdhocWorld.Uri));

    private sealed class AnyCredential(EdhocCredential credential) : IEdhocCredentialResolver
    {
        public EdhocClaimedPeerIdentity? Claim { get; private set; }

        public ValueTask<IReadOnlyList<EdhocCredential>> FindAsync(EdhocClaimedPeerIdentity claim, CancellationToken cancellationToken)
        {
            Claim = claim;
            return new ValueTask<IReadOnlyList<EdhocCredential>>([credential]);
        }
    }
}
