using CoAP.NET.Dtls.Cookies;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// Handshakes of DTLS with a pre-shared key whose datagrams are lost, doubled, delayed, cut, changed and followed by other bytes, as the
/// input says. Whatever it says, nothing throws, and two ends that are both done have the same keys.
/// </summary>
/// <remarks>The first byte of the input chooses cipher suite and Connection IDs; the others change one datagram after the other.</remarks>
internal sealed class DtlsTarget : ContentTarget
{
    private const int MaxRounds = 12;
    private const int MaxDatagrams = 64;

    private static readonly byte[] s_key = "secretPSK"u8.ToArray();
    private static readonly byte[] s_address = [127, 0, 0, 1, 0x16, 0x34];

    private readonly CookieIssuer _cookies = new(CoapRandomSource.Secure, TimeProvider.System, TimeSpan.FromHours(1));
    private readonly Dictionary<int, (SharedHandshakeContext Client, SharedHandshakeContext Server)> _contexts = [];

    public override int Share => 100;

    public override int MaxLength => 512;

    public override IReadOnlyList<byte[]> Dictionary { get; } =
    [
        [0x16, 0xfe, 0xfd], [0x14, 0xfe, 0xfd], [0x15, 0xfe, 0xfd, 0, 0], [0x17, 0xfe, 0xfd, 0, 1], [0x19, 0xfe, 0xfd, 0, 1],
        [0x1b, 0xfe, 0xfd, 0, 1], [0x02, 0x28], [0, 0, 0, 0], [0xff, 0xff],
    ];

    public override ulong Run(byte[] input)
    {
        int choice = input.Length == 0 ? 0 : input[0] & 7;
        (SharedHandshakeContext clientContext, SharedHandshakeContext serverContext) = ContextsOf(choice);
        Script script = new(input);
        bool hasIds = (choice & 4) != 0;
        using ClientHandshake client = new(clientContext, hasIds ? [] : null, "user", s_key);
        ServerHandshake? server = null;
        try
        {
            List<byte[]> toServer = [];
            List<byte[]> toClient = [];
            client.Start(null);
            int datagrams = 0;
            for (int round = 0; round < MaxRounds && datagrams < MaxDatagrams; round++)
            {
                toServer.AddRange(script.Change(client.TakeOutput()));
                foreach (byte[] datagram in toServer)
                {
                    datagrams++;
                    server = Deliver(server, serverContext, datagram, toClient);
                }

                toServer.Clear();
                toClient.AddRange(script.Change(server?.TakeOutput() ?? []));
                foreach (byte[] datagram in toClient)
                {
                    datagrams++;
                    client.Receive(datagram);
                }

                toClient.Clear();
            }

            return Judge(client, server);
        }
        finally
        {
            server?.Dispose();
        }
    }

    public override void Dispose()
    {
        _cookies.Dispose();
        base.Dispose();
    }

    private ServerHandshake? Deliver(ServerHandshake? server, SharedHandshakeContext context, byte[] datagram, List<byte[]> toClient)
    {
        if (server is null)
        {
            if (!ClientHello.TryRead(datagram, out ClientHello hello))
            {
                return null;
            }

            if (!_cookies.Accepts(hello, s_address))
            {
                byte[] request = new byte[CookieIssuer.RequestLength];
                if (_cookies.TryWriteRequest(hello, s_address, request))
                {
                    toClient.Add(request);
                }

                return null;
            }

            server = new ServerHandshake(context, static () => [1, 2, 3, 4, 5, 6, 7, 8]);
            server.Start(datagram);
        }
        else
        {
            server.Receive(datagram);
        }

        if (server.Status == HandshakeStatus.WantsKey)
        {
            server.GiveKey(server.PskIdentity == "user" ? s_key : [1]);
        }

        return server;
    }

    private static ulong Judge(ClientHandshake client, ServerHandshake? server)
    {
        if (client.Status == HandshakeStatus.Done && server is { Status: HandshakeStatus.Done })
        {
            RecordLayer ofClient = client.Establish().Records;
            RecordLayer ofServer = server.Establish().Records;
            Check(Carries(ofClient, ofServer) && Carries(ofServer, ofClient), "keys", "Both ends are done, and their keys differ.");
            Check(server.PskIdentity == "user", "identity", $"The server is done with the identity '{server.PskIdentity}'.");
        }
        else
        {
            Check(client.Status != HandshakeStatus.Done || server is not null, "alone", "The client is done without a server.");
        }

        ulong signature = FuzzRandom.Mix((ulong)client.Status, (ulong)(server?.Status ?? 0) + 8);
        signature = FuzzRandom.Mix(signature, Small(client.Failure?.Why.Length ?? 0, 255));
        return FuzzRandom.Mix(signature, Small(server?.Failure?.Why.Length ?? 0, 255) + (ulong)(server?.Progress ?? 0));
    }

    private static bool Carries(RecordLayer from, RecordLayer to)
    {
        byte[] record = new byte[from.RecordLength(2)];
        _ = from.Seal(ContentType.ApplicationData, [7, 9], record);
        return RecordHeader.TryRead(record, to.OwnCid.Length, out RecordHeader header)
            && to.Open(header, record, out ContentType type, out Range content, out _) == RecordOpenResult.Opened
            && type == ContentType.ApplicationData && record.AsSpan()[content] is [7, 9];
    }

    private (SharedHandshakeContext Client, SharedHandshakeContext Server) ContextsOf(int choice)
    {
        if (!_contexts.TryGetValue(choice, out (SharedHandshakeContext Client, SharedHandshakeContext Server) contexts))
        {
            CipherSuite[] suites = [.. CipherSuite.All.Where(static suite => suite.KeyExchange == KeyExchange.Psk)];
            HandshakeSettings settings = new()
            {
                IsServer = false,
                Suites = [suites[choice & 1]],
                OwnCidLength = (choice & 4) != 0 ? 0 : -1,
                Mtu = (choice & 2) != 0 ? 120 : 1_200,
            };
            contexts = (new SharedHandshakeContext(settings),
                new SharedHandshakeContext(settings with { IsServer = true, OwnCidLength = (choice & 4) != 0 ? 8 : -1 }));
            _contexts[choice] = contexts;
        }

        return contexts;
    }

    /// <summary>Reads from the input what happens to datagrams.</summary>
    private ref struct Script(ReadOnlySpan<byte> input)
    {
        private ReadOnlySpan<byte> _rest = input.IsEmpty ? input : input[1..];
        private byte[]? _late;

        public List<byte[]> Change(IReadOnlyList<byte[]> datagrams)
        {
            List<byte[]> changed = [];
            foreach (byte[] datagram in datagrams)
            {
                Change([.. datagram], changed);
            }

            return changed;
        }

        private void Change(byte[] datagram, List<byte[]> changed)
        {
            switch (Next() & 15)
            {
                case 8:
                    break;
                case 9:
                    changed.Add(datagram);
                    changed.Add([.. datagram]);
                    break;
                case 10:
                    (datagram, _late) = (_late ?? [], datagram);
                    changed.Add(datagram);
                    break;
                case 11:
                    datagram[Next() % datagram.Length] ^= (byte)(1 << (Next() & 7));
                    changed.Add(datagram);
                    break;
                case 12:
                    changed.Add(datagram[..(Next() % datagram.Length)]);
                    break;
                case 13:
                    changed.Add([.. datagram, .. Take(Next() & 63)]);
                    break;
                case 14:
                    int at = Next() % datagram.Length;
                    byte[] bytes = Take(Math.Min(Next() & 31, datagram.Length - at));
                    bytes.CopyTo(datagram, at);
                    changed.Add(datagram);
                    break;
                case 15:
                    changed.Add(Take(Next() & 127));
                    changed.Add(datagram);
                    break;
                default:
                    changed.Add(datagram);
                    break;
            }
        }

        private int Next()
        {
            if (_rest.IsEmpty)
            {
                return 0;
            }

            byte next = _rest[0];
            _rest = _rest[1..];
            return next;
        }

        private byte[] Take(int length)
        {
            byte[] bytes = _rest[..Math.Min(length, _rest.Length)].ToArray();
            _rest = _rest[bytes.Length..];
            return bytes;
        }
    }
}
