using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>Both ends of a handshake, in memory.</summary>
public sealed class HandshakeTests
{
    private static readonly byte[] s_key = "secretPSK"u8.ToArray();
    private static readonly byte[] s_cid = [1, 2, 3, 4, 5, 6, 7, 8];

    public static TheoryData<string, int, int> Suites
    {
        get
        {
            TheoryData<string, int, int> data = [];
            foreach (CipherSuite suite in CipherSuite.All)
            {
                data.Add(suite.Name, -1, -1);
                data.Add(suite.Name, 8, 0);
                data.Add(suite.Name, 8, 4);
                data.Add(suite.Name, -1, 0);
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Suites))]
    [Rfc("7252-9.1.3.1-1", "9146-3-1", "9146-3-2")]
    public void Both_ends_have_a_session(string suite, int serverCid, int clientCid)
    {
        using HandshakePair pair = Pair(suite, serverCid, clientCid);
        pair.Client.Start("device.example");
        pair.Run();
        Assert.Equal((HandshakeStatus.Done, null), (pair.Client.Status, pair.Client.Failure));
        Assert.Equal((HandshakeStatus.Done, null), (pair.Server!.Status, pair.Server.Failure));
        Established client = pair.Client.Establish();
        Established server = pair.Server.Establish();
        Assert.Equal(suite, server.Records.Suite.Name);
        Assert.Equal(serverCid > 0 && clientCid >= 0 ? serverCid : 0, server.Records.OwnCid.Length);
        Assert.Equal(clientCid > 0 && serverCid >= 0 ? clientCid : 0, client.Records.OwnCid.Length);
        Assert.Equal(server.Records.Suite.UsesPreSharedKey ? "user" : null, server.PskIdentity);
        Assert.Equal(server.Records.Suite.UsesPreSharedKey, client.PeerCertificate is null);
        Assert.Equal("ping"u8.ToArray(), HandshakePair.Exchange(client.Records, server.Records, "ping"u8.ToArray()));
        Assert.Equal("pong"u8.ToArray(), HandshakePair.Exchange(server.Records, client.Records, "pong"u8.ToArray()));
    }

    [Fact]
    public void A_client_shows_its_certificate_where_one_is_required()
    {
        using X509Certificate2 certificate = Certificate("device");
        using HandshakePair pair = new(
            new HandshakeSettings { IsServer = false, Suites = CipherSuite.All, Certificate = certificate },
            new HandshakeSettings
            {
                IsServer = true,
                Suites = [CipherSuite.All[1]],
                Certificate = certificate,
                RequiresClientCertificate = true
            })
        {
            ClientTrusts = leaf => leaf.Thumbprint == certificate.Thumbprint,
            ServerTrusts = leaf => leaf.Thumbprint == certificate.Thumbprint,
        };
        pair.Client.Start(null);
        pair.Run();
        Assert.Equal((HandshakeStatus.Done, null), (pair.Server!.Status, pair.Server.Failure));
        Assert.Equal(certificate.Thumbprint, pair.Server.Establish().PeerCertificate!.Thumbprint);
    }

    [Fact]
    public void A_certificate_that_is_not_trusted_ends_the_handshake()
    {
        using HandshakePair pair = Pair(CipherSuite.All[1].Name, -1, -1);
        pair.ClientTrusts = _ => false;
        pair.Client.Start(null);
        pair.Run();
        Assert.Equal(HandshakeStatus.Failed, pair.Client.Status);
        Assert.Contains("certificate verify failed", pair.Client.Failure!.Why, StringComparison.Ordinal);
        Assert.NotEqual(HandshakeStatus.Done, pair.Server!.Status);
    }

    [Fact]
    public void A_wrong_key_gives_no_session_and_is_seen_by_the_server()
    {
        using HandshakePair pair = Pair(CipherSuite.All[0].Name, 8, 0, "another"u8.ToArray());
        pair.Client.Start(null);
        pair.Run();
        Assert.Equal(HandshakeStatus.Running, pair.Client.Status);
        Assert.Equal(HandshakeStatus.Running, pair.Server!.Status);
        Assert.Equal(1, pair.Server.Forgeries);
    }

    [Fact]
    public void A_validation_that_throws_ends_the_handshake_with_its_message()
    {
        using HandshakePair pair = Pair(CipherSuite.All[1].Name, -1, -1);
        pair.ClientTrusts = _ => throw new InvalidOperationException("no such thing");
        pair.Client.Start(null);
        pair.Run();
        Assert.Equal((HandshakeStatus.Failed, "no such thing"), (pair.Client.Status, pair.Client.Failure!.Why));
    }

    [Fact]
    public void That_short_tags_are_allowed_lowers_no_level_for_certificates()
    {
        using RSA key = RSA.Create(512);
        CertificateRequest request = new("CN=weak", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        using X509Certificate2 weak = request.CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(200));
        HandshakeSettings settings = new() { IsServer = true, Suites = CipherSuite.All, Certificate = weak };
        string message = Assert.Throws<InvalidOperationException>(() => new HandshakeContext(settings)).Message;
        Assert.True(message.Contains("key too small", StringComparison.Ordinal), message);
    }

    private static HandshakePair Pair(string suite, int serverCid, int clientCid, byte[]? clientKey = null)
    {
        CipherSuite chosen = CipherSuite.All.Single(one => one.Name == suite);
        X509Certificate2? certificate = chosen.UsesPreSharedKey ? null : Certificate("server");
        HandshakePair pair = new(
            new HandshakeSettings { IsServer = false, Suites = CipherSuite.All, OwnCidLength = clientCid },
            new HandshakeSettings { IsServer = true, Suites = [chosen], Certificate = certificate, OwnCidLength = serverCid },
            "user",
            clientKey ?? s_key,
            clientCid < 0 ? null : s_cid[..clientCid],
            serverCid < 0 ? null : s_cid[..serverCid])
        {
            ClientTrusts = leaf => leaf.Subject == "CN=server",
        };
        pair.Keys["user"] = s_key;
        return pair;
    }

    private static X509Certificate2 Certificate(string name)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new($"CN={name}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.DigitalSignature, critical: true));
        return request.CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(200));
    }
}
