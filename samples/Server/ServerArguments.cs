using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET;
using CoAP.NET.Transports;

namespace Server;

/// <summary>What the command line says.</summary>
internal sealed class ServerArguments
{
    public const string Usage = """
        usage: Server [--bind URI]... [OPTION]...
          --bind URI         coap://, coap+tcp:// or coaps+tcp://; port 0 takes any free one (default coap://localhost:5683)
          --cert F --key F   the server's certificate, with those between it and the root, and its key (PEM), for coaps+tcp
          --client-ca F      clients must show a certificate of this authority (PEM)
          --engine E         how TCP is driven: auto, inline or async
        """;

    public List<string> Addresses { get; } = [];

    public CoapEndpointOptions Options { get; } = new();

    /// <summary>Reads the command line.</summary>
    /// <exception cref="ArgumentException">It is wrong, or what it says does not fit.</exception>
    public static ServerArguments Parse(string[] args)
    {
        ServerArguments arguments = new();
        (string? certificate, string? key, string? clientAuthority) = (null, null, null);
        for (int i = 0; i < args.Length; i += 2)
        {
            string value = i + 1 < args.Length ? args[i + 1] : throw new ArgumentException(Usage);
            switch (args[i])
            {
                case "--bind":
                    arguments.Addresses.Add(value);
                    break;
                case "--cert":
                    certificate = value;
                    break;
                case "--key":
                    key = value;
                    break;
                case "--client-ca":
                    clientAuthority = value;
                    break;
                case "--engine" when Enum.TryParse(value, ignoreCase: true, out CoapTcpEngine engine):
                    arguments.Options.TcpEngine = engine;
                    break;
                default:
                    throw new ArgumentException(Usage);
            }
        }

        if (arguments.Addresses.Count == 0)
        {
            arguments.Addresses.Add("coap://localhost:5683");
        }

        if (certificate is not null)
        {
            arguments.Options.Tls = MakeTls(certificate, key, clientAuthority);
        }

        return arguments;
    }

    private static CoapTlsOptions MakeTls(string certificate, string? key, string? clientAuthority)
    {
        X509Certificate2Collection chain = [];
        chain.ImportFromPemFile(certificate);
        SslServerAuthenticationOptions server = new()
        {
            ServerCertificateContext = SslStreamCertificateContext.Create(X509Certificate2.CreateFromPemFile(certificate, key ?? certificate), chain, offline: true),
        };
        if (clientAuthority is not null)
        {
            server.ClientCertificateRequired = true;
            server.CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                CustomTrustStore = { X509CertificateLoader.LoadCertificateFromFile(clientAuthority) },
                RevocationMode = X509RevocationMode.NoCheck,
            };
        }

        return new CoapTlsOptions { Server = server };
    }
}
