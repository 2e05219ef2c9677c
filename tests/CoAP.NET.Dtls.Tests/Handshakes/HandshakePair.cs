namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>A client and a server whose datagrams are carried by hand.</summary>
internal sealed class HandshakePair : IDisposable
{
    private static readonly byte[] s_address = [127, 0, 0, 1, 0x16, 0x34];

    private readonly CookieIssuer _cookies = new(CoapRandomSource.Secure, TimeProvider.System, FromMinutes(2));
    private readonly SharedHandshakeContext _serverContext;
    private readonly SharedHandshakeContext _clientContext;

    public HandshakePair(HandshakeSettings client, HandshakeSettings server, string? identity = null, byte[]? key = null,
        byte[]? clientCid = null, byte[]? serverCid = null)
    {
        _clientContext = new SharedHandshakeContext(client);
        _serverContext = new SharedHandshakeContext(server);
        Client = new ClientHandshake(_clientContext, clientCid, identity, key)
        {
            Validate = (leaf, _, _) => new(ClientTrusts?.Invoke(leaf) ?? false)
        };
        ServerCid = serverCid;
    }

    public ClientHandshake Client { get; }

    public ServerHandshake? Server { get; private set; }

    public byte[]? ServerCid { get; }

    public Func<X509Certificate2, bool>? ClientTrusts { get; set; }

    public Func<X509Certificate2, bool>? ServerTrusts { get; set; }

    public Dictionary<string, byte[]> Keys { get; } = [];

    /// <summary>Decides whether a datagram is lost; gets its number and whether the client sent it.</summary>
    public Func<int, bool, bool>? Loses { get; set; }

    public int Sent { get; private set; }

    /// <summary>Carries datagrams until nobody has any.</summary>
    public void Run()
    {
        bool goesOn = true;
        while (goesOn)
        {
            goesOn = false;
            foreach (byte[] datagram in Client.TakeOutput())
            {
                goesOn = true;
                if (Loses?.Invoke(Sent++, true) != true)
                {
                    ToServer(datagram);
                }
            }

            foreach (byte[] datagram in Server?.TakeOutput() ?? [])
            {
                goesOn = true;
                if (Loses?.Invoke(Sent++, false) != true)
                {
                    Client.Receive(datagram);
                    Client.Answer();
                }
            }
        }
    }

    public void Dispose()
    {
        Client.Dispose();
        Server?.Dispose();
    }

    public void ToServer(byte[] datagram)
    {
        if (Server is null)
        {
            if (!ClientHello.TryRead(datagram, out ClientHello hello))
            {
                return;
            }

            if (!_cookies.Accepts(hello, s_address))
            {
                byte[] request = new byte[CookieIssuer.RequestLength];
                _ = _cookies.TryWriteRequest(hello, s_address, request);
                if (Loses?.Invoke(Sent++, false) != true)
                {
                    Client.Receive(request);
                }

                return;
            }

            Server = new ServerHandshake(_serverContext, ServerCid is null ? null : () => ServerCid)
            {
                Validate = (leaf, _, _) => new(ServerTrusts?.Invoke(leaf) ?? false)
            };
            Server.Start(datagram);
            Server.Answer();
        }
        else
        {
            Server.Receive(datagram);
            Server.Answer();
        }

        if (Server.Status == HandshakeStatus.WantsKey)
        {
            Server.GiveKey(Keys.GetValueOrDefault(Server.PskIdentity!, [.. new byte[16]]));
        }
    }

    /// <summary>Sends a message from one end to the other.</summary>
    public static byte[] Exchange(RecordLayer from, RecordLayer to, byte[] content)
    {
        byte[] record = new byte[from.RecordLength(content.Length)];
        Assert.Equal(record.Length, from.Seal(ContentType.ApplicationData, content, record));
        Assert.True(RecordHeader.TryRead(record, to.OwnCid.Length, out RecordHeader header));
        Assert.Equal(RecordOpenResult.Opened, to.Open(header, record, out ContentType type, out Range range, out _));
        Assert.Equal(ContentType.ApplicationData, type);
        return record[range];
    }
}
