namespace CoAP.NET.Dtls.Tests.Hostile;

/// <summary>
/// Strangers that return their cookie and say no more, while clients connect. COAP_TEST_CAMPAIGN multiplies the strangers and the clients:
/// 25 are 100,000 strangers.
/// </summary>
public sealed class HalfOpenFloodTests
{
    private const int StrangersAtFirst = 2_000;
    private const int StrangersBetween = 80;
    private const int Clients = 8;
    private const int MaxRetransmissions = 2;

    [Theory]
    [Trait("Category", "Campaign")]
    [InlineData(1)]
    [InlineData(1_000)]
    public void A_client_gets_a_session_within_two_retransmissions_while_others_hold_handshakes_open(int addresses)
    {
        int factor = CampaignSetting.Of("COAP_TEST_CAMPAIGN", 1);
        using ServerBench bench = new(isLossy: true);
        SharedHandshakeContext context = bench.ClientContext;
        int next = 0;
        Flood(factor * StrangersAtFirst);
        Assert.Equal(addresses == 1 ? 50 : 750, bench.Server.HandshakeCount);
        for (int host = 1; host <= factor * Clients; host++)
        {
            // Strangers come between all of its datagrams.
            Queue<byte[]> answers = new();
            DtlsPath path = ServerBench.Path(host);
            BenchClient client = new(context, bench.Clock, (from, datagram) => bench.Server.Receive(from, datagram), path, "user",
                ServerBench.Key, withCid: true);
            bench.LosesOfServer = datagram =>
            {
                answers.Enqueue(datagram);
                return true;
            };
            client.Handshake.Start(null);
            client.Flush();
            int retransmissions = -1;
            while (client.Session is null && retransmissions < MaxRetransmissions)
            {
                while (answers.TryDequeue(out byte[]? answer))
                {
                    Func<byte[], bool> collects = bench.LosesOfServer;
                    Flood(StrangersBetween);
                    bench.LosesOfServer = collects;
                    client.Receive(answer);
                }

                bench.Clock.Advance(client.Handshake.NextTimeout() ?? TimeSpan.Zero);
                retransmissions++;
                if (client.Session is null)
                {
                    client.Handshake.OnTimeout();
                    client.Flush();
                }
            }

            client.Handshake.Dispose();
            Assert.NotNull(client.Session);
        }

        Assert.Equal(factor * Clients, bench.Server.SessionCount);
        Assert.Empty(bench.Failures);

        void Flood(int count)
        {
            bench.LosesOfServer = static datagram => datagram.Length > CookieIssuer.RequestLength;
            for (int i = 0; i < count; i++, next++)
            {
                // The oldest handshake makes room: at most 10,000 strangers a second.
                bench.Clock.Advance(FromMicroseconds(100));
                CoapAddress address = CoapAddress.FromIPv4(0x0B000000u + (uint)(next % addresses), 1);
                bench.Connect(ServerBench.Path(address, 1_000 + (next / addresses % 60_000))).Handshake.Dispose();
            }
        }
    }

    // A stranger without a cookie costs a keyed hash. One with a cookie, and garbage behind it, costs what begins one handshake.
    [Fact]
    public void A_hello_without_a_cookie_allocates_nothing()
    {
        Allocations.NeedOptimizedCode();
        using DtlsServer server = new(
            new SharedHandshakeContext(HandshakeScene.ServerSettings(HandshakeKind.Psk)), new DtlsServerLimits(), new ServerBench.OneKey(),
            null, new NoOutput(), new VirtualClock(), new VirtualRandom(7), static (_, work) => work());
        using ClientHandshake client =
            HandshakeScene.MakeClient(new SharedHandshakeContext(HandshakeScene.ClientSettings(HandshakeKind.Psk)));
        client.Start(null);
        byte[] hello = client.TakeOutput()[0];
        byte[] datagram = new byte[hello.Length];
        Send(100);
        long before = GC.GetAllocatedBytesForCurrentThread();
        Send(1_000);
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.Equal(0, server.HandshakeCount);

        void Send(int count)
        {
            for (int i = 0; i < count; i++)
            {
                hello.CopyTo(datagram, 0);
                BinaryPrimitives.WriteInt32BigEndian(datagram.AsSpan(30), i);
                Assert.True(server.Receive(ServerBench.Path(i), datagram));
            }
        }
    }

    [Theory]
    [InlineData(HandshakeKind.Psk, 0)]
    [InlineData(HandshakeKind.EcdhePsk, 0)]
    [InlineData(HandshakeKind.RawPublicKeys, 1)]
    public void Garbage_after_a_client_hello_causes_no_key_lookup_and_no_further_signature(HandshakeKind kind, int expected)
    {
        int signatures = 0;
        CoapDtlsSigner signer = new(HandshakeScene.ServerKey.ExportSubjectPublicKeyInfo(), (hash, _, _) =>
        {
            signatures++;
            return new(HandshakeScene.ServerKey.SignHash(hash.ToArray()));
        });
        using ScriptedClient client = new(kind,
            settings => kind == HandshakeKind.RawPublicKeys ? settings with { Signer = signer, RawPublicKey = null } : settings);
        client.Hello();
        Assert.Equal(expected, signatures);
        for (int type = 0; type <= byte.MaxValue; type++)
        {
            client.Forge((HandshakeType)type, new byte[40]);
            client.Plain(ContentType.ApplicationData, [(byte)type]);
        }

        Assert.Equal((expected, null), (signatures, client.Server.PskIdentity));
    }

    private sealed class NoOutput : IDtlsSessionOutput
    {
        public void Send(in DtlsPath path, ReadOnlySpan<byte> datagram)
        {
        }

        public void Opened(DtlsSession session)
        {
        }

        public void Received(DtlsSession session, in DtlsPath path, ReadOnlySpan<byte> content)
        {
        }

        public void Moved(DtlsSession session, in DtlsPath from)
        {
        }

        public void Closed(DtlsSession session, DtlsSessionEndReason reason)
        {
        }
    }
}
