namespace CoAP.NET.Dtls.Tests.Clients;

/// <summary>What a <see cref="ClientBench"/> is made of.</summary>
internal sealed class BenchSettings
{
    public static readonly byte[] Key = "secretPSK"u8.ToArray();

    public HandshakeSettings Client { get; set; } = new()
    {
        IsServer = false,
        Suites = CipherSuite.All,
        OwnCidLength = 0,
        RetransmitTimeout = FromMilliseconds(100)
    };

    public HandshakeSettings Server { get; set; } = new()
    {
        IsServer = true,
        Suites = CipherSuite.All,
        OwnCidLength = DtlsServer.CidLength,
        RetransmitTimeout = FromMilliseconds(100)
    };

    public DtlsClientSettings Sessions { get; set; } = new() { SelectPsk = (_, _) => new(new CoapPskCredential("user", Key)) };

    public DtlsServerLimits Limits { get; set; } = new();

    public Func<X509Certificate2, X509Certificate2Collection, CancellationToken, ValueTask<bool>>? ServerTrusts { get; set; }

    public Func<ReadOnlyMemory<byte>, CancellationToken, ValueTask<bool>>? ServerTrustsKey { get; set; }

    /// <summary>The key of the client at the server; null: the one that the client has.</summary>
    public ReadOnlyMemory<byte>? KeyAtServer { get; set; }

    /// <summary>Whether the server keeps sessions for resumption.</summary>
    public bool ServerResumes { get; set; }

    /// <summary>Whether the server selects its rules by the requested name: the same for all.</summary>
    public bool SelectsRules { get; set; }

    /// <summary>Runs work of handshakes; here and now by default.</summary>
    public Action<uint, Action> Run { get; set; } = (_, work) => work();

    /// <summary>Runs work of handshakes of the server; null: as <see cref="Run"/>.</summary>
    public Action<Action>? RunOfServer { get; set; }

    public static BenchSettings OfPsk(int suite = 0)
    {
        BenchSettings settings = new();
        settings.Server = settings.Server with { Suites = [CipherSuite.All[suite]] };
        return settings;
    }

    /// <summary>A server with a certificate, and a client that trusts its authority.</summary>
    public static BenchSettings OfCertificates(BenchAuthority authority, X509Certificate2 server)
    {
        BenchSettings settings = new();
        settings.Server = settings.Server with { Suites = [CipherSuite.All[1]], Certificate = server };
        settings.Sessions = settings.Sessions with
        {
            Certificates = new PeerCertificateValidator { IsOfServers = true, Authorities = [authority.Certificate] }
        };
        return settings;
    }
}
