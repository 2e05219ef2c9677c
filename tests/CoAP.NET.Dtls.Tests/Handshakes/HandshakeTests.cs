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
    public void Both_ends_of_a_handshake_get_the_same_suite_and_keys_and_the_agreed_Connection_IDs(
        string suite, int serverCid, int clientCid)
    {
        using HandshakePair pair = Pair(suite, serverCid, clientCid);
        pair.Client.Start("device.example");
        pair.Run();
        Assert.Equal((HandshakeStatus.Done, null), (pair.Client.Status, pair.Client.Failure));
        Assert.Equal((HandshakeStatus.Done, null), (pair.Server!.Status, pair.Server.Failure));
        HandshakeResult client = pair.Client.Establish();
        HandshakeResult server = pair.Server.Establish();
        Assert.Equal(suite, server.Records.Suite.Name);
        Assert.Equal(serverCid > 0 && clientCid >= 0 ? serverCid : 0, server.Records.OwnCid.Length);
        Assert.Equal(clientCid > 0 && serverCid >= 0 ? clientCid : 0, client.Records.OwnCid.Length);
        Assert.Equal(server.Records.Suite.UsesPreSharedKey ? "user" : null, server.PskIdentity);
        Assert.Equal(server.Records.Suite.UsesPreSharedKey, client.PeerCertificate is null);
        Assert.Equal("ping"u8.ToArray(), HandshakePair.Exchange(client.Records, server.Records, "ping"u8.ToArray()));
        Assert.Equal("pong"u8.ToArray(), HandshakePair.Exchange(server.Records, client.Records, "pong"u8.ToArray()));
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
