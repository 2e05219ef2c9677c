using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls;
using CoAP.NET.Dtls.Transport;
using CoAP.NET.Oscore;

namespace CoAP.NET.Tests.Shared;

/// <summary>
/// A server on loopback and clients of it that show by real handshakes, or by the keys of a context, who they are: all of one kind.
/// </summary>
internal sealed class SecuredPeers : IAsyncDisposable
{
    private readonly string _kind;
    private readonly ECDsa _authority = ECDsa.Create(ECCurve.NamedCurves.nistP256);
    private readonly List<IDisposable> _keys = [];
    private readonly List<IAsyncDisposable> _clients = [];
    private readonly Dictionary<string, OscoreContext> _contexts = [];
    private readonly Dictionary<string, X509Certificate2> _certificates = [];
    private readonly Dictionary<string, ECDsa> _pairs = [];

    private SecuredPeers(string kind)
    {
        _kind = kind;
        _keys.Add(_authority);
        Server = new CoapServer(MakeServerOptions());
    }

    /// <summary>Before it listens.</summary>
    public CoapServer Server { get; }

    public string Uri => Server.LocalEndpoints[0].Origin();

    /// <summary>Starts a server.</summary>
    /// <param name="kind">How its clients show who they are: by psk, certificate, key (raw public keys), or oscore.</param>
    /// <param name="map">Maps what it serves.</param>
    /// <returns>It; null where the installed OpenSSL has no raw public keys, as the exception then has to say.</returns>
    public static async Task<SecuredPeers?> TryStartAsync(string kind, Action<CoapServer> map)
    {
        SecuredPeers peers = new(kind);
        map(peers.Server);
        try
        {
            await peers.Server.Listen(kind == "oscore" ? "coap://127.0.0.1:0" : "coaps://127.0.0.1:0").StartAsync();
            return peers;
        }
        catch (CoapDtlsException exception) when (kind == "key")
        {
            exception.Mentions("3.2");
            await peers.DisposeAsync();
            return null;
        }
    }

    /// <summary>A client.</summary>
    /// <param name="name">Who it is: "alice", "mallory".</param>
    /// <param name="host">Where it is: 127.0.0.N.</param>
    /// <param name="isRenewed">Whether it has another certificate by now.</param>
    public CoapClient MakeClient(string name, int host, bool isRenewed = false)
    {
        CoapUdpTransportOptions address = new() { Endpoints = { new IPEndPoint(new IPAddress([127, 0, 0, (byte)host]), 0) } };
        CoapEndpointOptions options = new();
        if (_kind == "oscore")
        {
            options.UseOscore(new OscoreContexts().Add(Uri, ContextOf(name)));
        }

        CoapClient client = new(options);
        _clients.Add(client);
        client.Endpoint.AddTransport(_kind == "oscore"
            ? new CoapUdpTransport(address)
            : new CoapDtlsTransport(new CoapDtlsOptions { HandshakeTimeout = FromMinutes(1), Client = ClientOf(name, isRenewed) },
                address));
        return client;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (IAsyncDisposable client in _clients)
        {
            await client.DisposeAsync();
        }

        await Server.DisposeAsync();
        _keys.ForEach(static key => key.Dispose());
    }

    private CoapEndpointOptions MakeServerOptions()
    {
        CoapEndpointOptions options = new();
        switch (_kind)
        {
            case "psk":
                CoapPskDictionary keys = new() { { "alice", KeyOf("alice") }, { "mallory", KeyOf("mallory") } };
                return options.UseDtls(new CoapDtlsOptions { Server = new CoapDtlsServerOptions { PskStore = keys } });
            case "certificate":
                return options.UseDtls(new CoapDtlsOptions
                {
                    Server = new CoapDtlsServerOptions
                    {
                        Certificate = MakeCertificate("server"),
                        RequireClientCertificate = true,
                        ValidateClientCertificate = static (_, _, _, _) => new(true),
                    },
                });
            case "key":
                return options.UseDtls(new CoapDtlsOptions
                {
                    Server = new CoapDtlsServerOptions
                    {
                        RawPublicKey = KeyPairOf("server"),
                        RequireClientPublicKey = true,
                        ValidateClientPublicKey = static (_, _) => new(true),
                    },
                });
            default:
                OscoreContexts contexts = new();
                foreach (string name in new[] { "alice", "mallory" })
                {
                    contexts.Add(OscoreContext.CreateVolatile(Keep(new OscoreParameters(KeyOf(name), [1], IdOf(name)))));
                }

                return options.UseOscore(contexts);
        }
    }

    private CoapDtlsClientOptions ClientOf(string name, bool isRenewed) => _kind switch
    {
        "psk" => new CoapDtlsClientOptions { Psk = new CoapPskCredential(name, KeyOf(name)) },
        "key" => new CoapDtlsClientOptions { RawPublicKey = KeyPairOf(name), ValidateServerPublicKey = static (_, _, _) => new(true) },
        _ => new CoapDtlsClientOptions
        {
            Certificate = isRenewed || !_certificates.TryGetValue(name, out X509Certificate2? known)
                ? _certificates[name] = MakeCertificate(name)
                : known,
            ValidateServerCertificate = static (_, _, _, _) => new(true),
        },
    };

    private ECDsa KeyPairOf(string name) => _pairs.TryGetValue(name, out ECDsa? known)
        ? known
        : _pairs[name] = Keep(ECDsa.Create(ECCurve.NamedCurves.nistP256));

    // One context for each name, wherever it is: its numbers go on.
    private OscoreContext ContextOf(string name) => _contexts.TryGetValue(name, out OscoreContext? known)
        ? known
        : _contexts[name] = OscoreContext.CreateVolatile(Keep(new OscoreParameters(KeyOf(name), IdOf(name), [1])));

    private T Keep<T>(T key)
        where T : IDisposable
    {
        _keys.Add(key);
        return key;
    }

    private X509Certificate2 MakeCertificate(string name)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new($"CN={name}", key, HashAlgorithmName.SHA256);
        DateTimeOffset now = TimeProvider.System.GetUtcNow();

        // By an authority: a self-signed certificate with another key is another identity.
        using X509Certificate2 signed = request.Create(new X500DistinguishedName("CN=authority"),
            X509SignatureGenerator.CreateForECDsa(_authority), now.AddDays(-1), now.AddDays(1), [1, (byte)_keys.Count]);
        using X509Certificate2 made = signed.CopyWithPrivateKey(key);
        return Keep(X509CertificateLoader.LoadPkcs12(made.Export(X509ContentType.Pkcs12), null));
    }

    private static byte[] KeyOf(string name) => SHA256.HashData(System.Text.Encoding.UTF8.GetBytes(name))[..16];

    private static byte[] IdOf(string name) => [(byte)name[0]];
}
