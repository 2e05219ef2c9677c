using CoAP.NET.Edhoc.Credentials;

namespace CoAP.NET.Edhoc.Tests.Provisioning;

/// <summary>Credentials and keys in files.</summary>
public sealed class CredentialFileTests : FolderTest
{
    private const string X25519Key = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VuBCIEIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB
        -----END PRIVATE KEY-----
        """;

    public CredentialFileTests()
    {
        foreach (string name in new[] { "client", "server" })
        {
            using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
            WriteKey($"{name}.key", key.ExportPkcs8PrivateKeyPem());
            Write($"{name}.pub", key.ExportSubjectPublicKeyInfoPem());
            WriteKey($"{name}.none", key.ExportSubjectPublicKeyInfoPem());
        }
    }

    [Fact]
    public async Task Two_credential_files_configure_two_sides_that_trust_each_other()
    {
        Write("client.json", """
            {
              // a comment
              "own": [ { "key": "client.key", "kid": "0x2b", "subject": "client" } ],
              "trusted": [ { "publicKey": "server.pub", "kid": "0x32", "subject": "server", "identity": "the door" } ],
              "method": 3, "suites": [ 2 ], "combinesFirstRequest": true,
            }
            """);
        Write("server.json", """
            {
              "own": [ { "key": "server.key", "kid": "0x32", "subject": "server" } ],
              "trusted": [ { "publicKey": "client.pub", "kid": "0x2b", "subject": "client" } ]
            }
            """);
        using EdhocCredentialFile client = EdhocCredentialFile.Read(Named("client.json"));
        using EdhocCredentialFile server = EdhocCredentialFile.Read(Named("server.json"));
        EdhocClientOptions ofClient = new();
        EdhocServerOptions ofServer = new();
        client.ApplyTo(ofClient);
        server.ApplyTo(ofServer);

        EdhocInitiator initiator = new(ofClient.Settings, ofClient.Method, [.. ofClient.Credentials], new byte[] { 1 });
        EdhocResponder responder = new(ofServer.Settings, [.. ofServer.Credentials]);
        responder.ReadMessage1(initiator.CreateMessage1());
        EdhocClaimedPeerIdentity claim = initiator.ReadMessage2(responder.CreateMessage2(new byte[] { 2 }));
        byte[] third = initiator.CreateMessage3(await ofClient.Trust.FindAsync(claim, CancellationToken.None));
        using EdhocResult session = responder.Complete(
            await ofServer.Trust.FindAsync(responder.ReadMessage3(third), CancellationToken.None));

        Assert.Equal("the door", initiator.Session.PeerIdentity);
        Assert.Equal("client", session.PeerCredential.Subject);
        Assert.Equal((EdhocMethod.StaticStatic, true), (ofClient.Method, ofClient.CombinesFirstRequest));
        Assert.Equal(2, Assert.Single(ofClient.Settings.Suites).Number);
    }

    [Fact]
    public void Certificates_are_sent_by_hash_or_by_value_and_authorities_are_trusted()
    {
        using Issuer issuer = new();
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using EdhocPrivateKey unused = issuer.Issue("device", out byte[] _);
        WriteKey("own.key", key.ExportECPrivateKeyPem());
        System.Security.Cryptography.X509Certificates.CertificateRequest request = new("CN=own", key, HashAlgorithmName.SHA256);
        using var certificate = request.CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(200));
        Write("own.pem", certificate.ExportCertificatePem());
        Write("ca.pem", issuer.Certificate.ExportCertificatePem());
        Write("hash.json", """{ "own": [ { "key": "own.key", "certificate": "own.pem" } ], "authorities": [ "ca.pem" ] }""");
        Write("value.json",
            """{ "own": [ { "key": "own.key", "certificate": "own.pem", "byValue": true } ], "trusted": [ { "certificate": "ca.pem" } ] }""");

        using EdhocCredentialFile hash = EdhocCredentialFile.Read(Named("hash.json"));
        using EdhocCredentialFile value = EdhocCredentialFile.Read(Named("value.json"));

        Assert.Equal(EdhocCredentialIdKind.CertificateHash, Assert.Single(hash.Own).Id.Kind);
        Assert.Equal(EdhocCredentialIdKind.CertificateChain, Assert.Single(value.Own).Id.Kind);
        Assert.Null(hash.Method);
        Assert.Empty(hash.Suites);
    }

    [Fact]
    public void A_credential_file_names_the_expected_server_of_a_URI()
    {
        Write("client.json", """
            { "own": [ { "key": "client.key", "kid": "0x2b" } ],
              "trusted": [ { "publicKey": "server.pub", "kid": "0x32", "identity": "door 7" } ],
              "servers": { "coap://Door.example": "door 7" } }
            """);
        using EdhocCredentialFile file = EdhocCredentialFile.Read(Named("client.json"));
        EdhocClientOptions options = new();
        file.ApplyTo(options);

        Assert.Equal("door 7", file.Servers["coap://Door.example"]);
        Assert.Equal("door 7", options.Servers["coap://door.example:5683"]);
    }

    [Fact]
    public async Task A_listed_peer_is_not_accepted_as_a_server_of_an_authority()
    {
        using Issuer issuer = new();
        Write("ca.pem", issuer.Certificate.ExportCertificatePem());
        Write("client.json", """
            { "own": [ { "key": "client.key", "kid": "0x2b" } ], "authorities": [ "ca.pem" ],
              "trusted": [ { "publicKey": "server.pub", "kid": "0x32", "identity": "door 7" } ] }
            """);
        using EdhocCredentialFile file = EdhocCredentialFile.Read(Named("client.json"));
        EdhocCredentialId id = EdhocCredentialId.OfKeyId([0x32]);
        CoapUri door = CoapUri.Parse("coap://door.example");

        await Assert.ThrowsAsync<EdhocException>(async () =>
            await file.Trust.FindAsync(new EdhocClaimedPeerIdentity(id, []) { IsServer = true, Target = door }, CancellationToken.None));
        Assert.Single(await file.Trust.FindAsync(
            new EdhocClaimedPeerIdentity(id, []) { IsServer = true, Target = door, Expected = "door 7" }, CancellationToken.None));
        Assert.Single(await file.Trust.FindAsync(new EdhocClaimedPeerIdentity(id, []) { IsServer = false }, CancellationToken.None));
    }

    [Fact]
    public void X25519_keys_in_OpenSSL_format_are_read()
    {
        WriteKey("x.key", X25519Key);
        Write("x.json", """{ "own": [ { "key": "x.key", "kid": "0x01" } ], "trusted": [ { "publicKey": "server.pub", "kid": "0x32" } ] }""");
        if (!EdhocCipherSuite.Find(0)!.IsSupported)
        {
            Fail("x.json").Mentions("OpenSSL");
            return;
        }

        using EdhocCredentialFile file = EdhocCredentialFile.Read(Named("x.json"));
        using EdhocPrivateKey same = EdhocPrivateKey.FromBytes(EdhocCurve.X25519, [.. Enumerable.Repeat((byte)1, 32)]);

        Assert.Equal(same.PublicKey.X.ToArray(), Assert.Single(file.Own).Credential.PublicKey.X.ToArray());
    }

    [Fact]
    public void A_private_key_file_that_others_can_read_is_refused()
    {
        Write("client.json", Valid);
        if (OperatingSystem.IsWindows())
        {
            Assert.Skip("needs Unix permissions");
            return; // for the analyzer of platforms
        }

        File.SetUnixFileMode(Named("client.key"), UnixFileMode.UserRead | UnixFileMode.OtherRead);

        CoapCredentialException error = Fail("client.json");

        Assert.Equal(Named("client.key"), error.FileName);
        error.Mentions("chmod 600");
    }

    [Theory]
    [InlineData("[]", "must be an object")]
    [InlineData("{ \"own\": [ }", "Line 1 is not valid JSON")]
    [InlineData("{ \"trusted\": [] }", "\"own\" is missing or empty")]
    [InlineData("{ \"onw\": [] }", "The file has an unknown name, onw. Did you mean own?")]
    [InlineData("{ \"somebody\": [] }", "The file has an unknown name, somebody. Known names are own, trusted")]
    [InlineData("{ \"own\": [ { \"kye\": \"client.key\" } ] }", "own[0] has an unknown name, kye. Did you mean key?")]
    [InlineData("{ \"own\": {} }", "own must be a list")]
    [InlineData("{ \"own\": [ { \"kid\": \"0x01\" } ] }", "own[0].key is missing")]
    [InlineData("{ \"own\": [ { \"key\": \"none.key\", \"kid\": \"0x01\" } ] }", "is not readable")]
    [InlineData("{ \"own\": [ { \"key\": \"client.none\", \"kid\": \"0x01\" } ] }", "no private key")]
    [InlineData("{ \"own\": [ { \"key\": \"client.key\" } ] }", "own[0].kid is missing")]
    [InlineData("{ \"own\": [ { \"key\": \"client.key\", \"kid\": \"2b\" } ] }", "own[0].kid must be 0x")]
    [InlineData("{ \"own\": [ { \"key\": \"client.key\", \"claims\": \"0xa0\" } ] }", "own[0]:")]
    [InlineData("{ \"own\": [ { \"key\": \"client.key\", \"kid\": \"0x2b\" } ] }", "trusts no peer")]
    [InlineData("{ \"own\": [ { \"key\": \"client.key\", \"kid\": \"0x2b\", \"kid\": \"0x2b\" } ] }", "twice")]
    [InlineData("{ \"own\": [ { \"key\": \"client.key\", \"kid\": \"0x2b\" } ], \"trusted\": [ {} ] }",
        "no certificate, claims or publicKey")]
    [InlineData("{ \"own\": [ { \"key\": \"client.key\", \"kid\": \"0x2b\" } ], \"authorities\": [ \"client.pub\" ] }", "no certificate")]
    [InlineData("{ \"own\": [ { \"key\": \"client.key\", \"kid\": \"0x2b\" } ], \"method\": 4 }", "method must be 0, 1, 2 or 3")]
    [InlineData("{ \"own\": [ { \"key\": \"client.key\", \"kid\": \"0x2b\" } ], \"suites\": [ 99 ] }", "suites[0] must be the number")]
    [InlineData("{ \"own\": [ { \"key\": \"client.key\", \"kid\": \"0x2b\" } ], \"servers\": [] }", "servers must be an object")]
    [InlineData("{ \"own\": [ { \"key\": \"client.key\", \"kid\": \"0x2b\" } ], \"servers\": { \"door\": \"x\" } }",
        "servers[\"door\"] must have")]
    [InlineData("{ \"own\": [ { \"key\": \"client.key\", \"kid\": \"0x2b\" } ], \"servers\": { \"coap://d\": \"x\" } }",
        "identity of no entry")]
    public void The_error_for_an_invalid_credential_file_has_the_position_of_the_problem(string json, string problem)
    {
        Write("wrong.json", json);

        Fail("wrong.json").Mentions(problem);
    }

    private const string Valid = """
        { "own": [ { "key": "client.key", "kid": "0x2b" } ], "trusted": [ { "publicKey": "server.pub", "kid": "0x32" } ] }
        """;

    private CoapCredentialException Fail(string name) =>
        Assert.Throws<CoapCredentialException>(() => EdhocCredentialFile.Read(Named(name)));

    private string Named(string name) => Path.Combine(Folder, name);

    private void Write(string name, string text) => File.WriteAllText(Named(name), text);

    private void WriteKey(string name, string text)
    {
        Write(name, text);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(Named(name), UnixFileMode.UserRead | UnixFileMode.UserWrite);
        }
    }
}
