namespace CoAP.NET.Dtls.Tests.Hostile;

/// <summary>What handshakes cost: printed, as a time is no assertion.</summary>
[Collection(MeasuredAlone.Name)]
public sealed class HandshakeCostTests(ITestOutputHelper output)
{
    private static readonly byte[] s_address = [127, 0, 0, 1, 0x16, 0x34];
    private static readonly byte[] s_key = "secretPSK"u8.ToArray();

    [Theory]
    [Trait("Category", "Campaign")]
    [InlineData(0, false)]
    [InlineData(1, false)]
    [InlineData(1, true)]
    public void Every_handshake_of_the_cost_measurement_completes(int suite, bool isMutual)
    {
        CipherSuite chosen = CipherSuite.All[suite];
        using BenchAuthority authority = new();
        using X509Certificate2 certificate = authority.Issue("localhost");
        SharedHandshakeContext serverContext = new(new HandshakeSettings
        {
            IsServer = true, Suites = [chosen], Certificate = chosen.UsesPreSharedKey ? null : certificate,
            RequiresClientCertificate = isMutual, OwnCidLength = 8,
        });
        SharedHandshakeContext clientContext = new(
            new HandshakeSettings { IsServer = false, Suites = [chosen], Certificate = isMutual ? certificate : null, OwnCidLength = 0 });
        CookieIssuer cookies = new(CoapRandomSource.Secure, TimeProvider.System, FromMinutes(2));
        (TimeSpan server, TimeSpan client) = (default, default);
        for (int i = -10; i < Campaign.Handshakes; i++)
        {
            (TimeSpan ofServer, TimeSpan ofClient) = Run(serverContext, clientContext, cookies);
            if (i >= 0)
            {
                server += ofServer;
                client += ofClient;
            }
        }

        double each = server.TotalMicroseconds / Campaign.Handshakes;
        output.WriteLine(
            $"{chosen.Name}{(isMutual ? ", mutual" : "")}: {each:0} us of the server, {client.TotalMicroseconds / Campaign.Handshakes:0} "
                + $"us of the client; {1e6 / each:0} handshakes a second on one core of a server");
    }

    // From ClientHello to two sessions, on one thread; the time of each end is its own.
    private static (TimeSpan Server, TimeSpan Client) Run(SharedHandshakeContext serverContext, SharedHandshakeContext clientContext,
        CookieIssuer cookies)
    {
        (TimeSpan ofServer, TimeSpan ofClient) = (default, default);
        ServerHandshake? server = null;
        ClientHandshake client = null!;
        IReadOnlyList<byte[]> toServer = [];
        IReadOnlyList<byte[]> toClient = [];
        Add(ref ofClient, () =>
        {
            client = new(clientContext, [], "user", s_key) { Validate = (_, _, _) => new(true) };
            client.Start(null);
            toServer = client.TakeOutput();
        });
        while (toServer.Count > 0 || toClient.Count > 0)
        {
            Add(ref ofServer, () => toClient = [.. toServer.SelectMany(ToServer)]);
            Add(ref ofClient, () =>
            {
                foreach (byte[] datagram in toClient)
                {
                    client.Receive(datagram);
                    client.Answer();
                }

                toServer = client.TakeOutput();
                toClient = [];
            });
        }

        Assert.Equal((HandshakeStatus.Done, HandshakeStatus.Done), (client.Status, server!.Status));
        Add(ref ofServer, () =>
        {
            server.Establish().Records.Clear();
            server.Dispose();
        });
        Add(ref ofClient, () =>
        {
            client.Establish().Records.Clear();
            client.Dispose();
        });
        return (ofServer, ofClient);

        IReadOnlyList<byte[]> ToServer(byte[] datagram)
        {
            if (server is null)
            {
                Assert.True(ClientHello.TryRead(datagram, out ClientHello hello));
                if (!cookies.Accepts(hello, s_address))
                {
                    byte[] request = new byte[CookieIssuer.RequestLength];
                    _ = cookies.TryWriteRequest(hello, s_address, request);
                    return [request];
                }

                server = new(serverContext, () => [1, 2, 3, 4, 5, 6, 7, 8]) { Validate = (_, _, _) => new(true) };
                server.Start(datagram);
            }
            else
            {
                server.Receive(datagram);
                server.Answer();
            }

            if (server.Status == HandshakeStatus.WantsKey)
            {
                server.GiveKey(s_key);
            }

            return server.TakeOutput();
        }
    }

    private static void Add(ref TimeSpan sum, Action work)
    {
        long start = TimeProvider.System.GetTimestamp();
        work();
        sum += TimeProvider.System.GetElapsedTime(start);
    }
}
