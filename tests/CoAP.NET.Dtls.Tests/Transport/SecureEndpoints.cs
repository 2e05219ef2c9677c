namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>A server and clients over coaps on the loopback, with pre-shared keys unless said otherwise.</summary>
internal sealed class SecureEndpoints : IAsyncDisposable
{
    public const string Identity = "device-1";

    private readonly List<CoapClient> _clients = [];

    public SecureEndpoints(Action<CoapDtlsServerOptions>? configure = null, Action<CoapEndpointOptions>? endpoint = null, int port = 0,
        bool useCids = true, CoapSocketEngine engine = CoapSocketEngine.Auto)
    {
        Keys = new CoapPskDictionary { { Identity, Key } };
        CoapDtlsServerOptions server = new() { PskStore = Keys };
        configure?.Invoke(server);
        CoapEndpointOptions options = new();
        // A machine that is busy must not make separate answers of what scripts expect on the acknowledgement.
        options.Parameters = CoapTransmissionParameters.Default with { PiggybackWindow = FromMinutes(1) };
        endpoint?.Invoke(options);
        Server = new CoapServer(options);
        Transport = new CoapDtlsTransport(new CoapDtlsOptions { Server = server, UseConnectionIds = useCids },
            new CoapUdpTransportOptions { Endpoints = { new IPEndPoint(IPAddress.Loopback, port) }, Engine = engine });
        Server.Endpoint.AddTransport(Transport);
        Server.MapGet("/who", request => CoapResults.Text($"{(request.Peer.Identity as CoapDtlsPeerIdentity)?.PskIdentity}"));
        Server.MapGet("/hello", () => CoapResults.Text("hello"));
    }

    public static byte[] Key => Encoding.ASCII.GetBytes("secretPSK-1234567");

    public CoapPskDictionary Keys { get; }

    public CoapServer Server { get; }

    public CoapDtlsTransport Transport { get; }

    public string Host => Server.LocalEndpoints.First(endpoint => endpoint.Scheme == "coaps").Origin();

    public IPEndPoint Endpoint => new(IPAddress.Loopback, new Uri(Host).Port);

    /// <summary>Where it listens, also after it has ended.</summary>
    public int Port { get; private set; }

    public async Task<SecureEndpoints> StartAsync()
    {
        await Server.StartAsync();
        Port = Endpoint.Port;
        return this;
    }

    public CoapClient Client(string identity = Identity, byte[]? key = null, Action<CoapDtlsOptions>? configure = null,
        Action<CoapEndpointOptions>? endpoint = null, TimeSpan? silence = null)
    {
        CoapDtlsOptions dtls = new()
        {
            Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(identity, key ?? Key) },
            RetransmitTimeout = FromMilliseconds(200),
            HandshakeTimeout = FromMinutes(1)
        };
        dtls.SilenceToProbe = silence ?? dtls.SilenceToProbe;
        configure?.Invoke(dtls);
        CoapEndpointOptions options = new CoapEndpointOptions().UseDtls(dtls);
        endpoint?.Invoke(options);
        CoapClient client = new(options);
        _clients.Add(client);
        return client;
    }

    /// <summary>As a crash would: the peers are told nothing.</summary>
    public void LoseSessions()
    {
        DtlsServer server = Transport.Engine!.Server!;
        foreach (CoapPeer peer in Server.Endpoint.ConnectedPeers)
        {
            server.End(((DtlsChannelSession)peer.Connection!).Session, DtlsSessionEndReason.Evicted, tells: false);
        }
    }

    /// <summary>Ends as by a crash, once all sessions are kept: the peers are told nothing, and the backup hears nothing more.</summary>
    /// <returns>What the backup had by then.</returns>
    public async Task<MemorySessionBackup> CrashAsync(MemorySessionBackup backup)
    {
        // The client may have its answer before the backup has its session.
        await Eventually.IsTrueAsync(() => backup.Count >= Server.Endpoint.ConnectedPeers.Count);
        MemorySessionBackup left = backup.AfterCrash();
        LoseSessions();
        await Server.DisposeAsync();
        return left;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (CoapClient client in _clients)
        {
            await client.Endpoint.DisposeAsync();
        }

        await Server.DisposeAsync();
    }
}
