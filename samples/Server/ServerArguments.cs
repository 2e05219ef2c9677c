using System.Globalization;
using CoAP.NET;
using CoAP.NET.Dtls;

namespace Server;

/// <summary>What the command line says.</summary>
internal sealed class ServerArguments
{
    public const string Usage = """
        usage: Server [--bind URI]... [OPTION]...
          --bind URI         coap://, coaps://, coap+tcp:// or coaps+tcp://; port 0 takes any free one (default coap://localhost:5683)
          --cert F --key F   the server's certificate, with those between it and the root, and its key (PEM), for coaps+tcp and coaps
          --ca F             clients that check it must show a certificate of this authority (PEM); --client-ca is the same
          --psk ID:KEY       a client and its pre-shared key, for coaps; text, or 0x and hexadecimal digits. May be repeated
          --psk-file F       a file with lines ID:KEY
          --engine E         how TCP is driven: auto, linuxloop or portable
          --udp-engine E     how UDP is driven: auto, linuxloop or portable
          --shards N         how many shards peers are spread over, 1 to 64 (default 1): one for each processor that the server may use
        """;

    public List<string> Addresses { get; } = [];

    public CoapEndpointOptions Options { get; } = new();

    /// <summary>Reads the command line.</summary>
    /// <exception cref="ArgumentException">It is wrong, or what it says does not fit.</exception>
    /// <exception cref="CoapCredentialException">A pre-shared key is none.</exception>
    public static ServerArguments Parse(string[] args)
    {
        ServerArguments arguments = new();
        ServerSecurity security = new();
        for (int i = 0; i < args.Length; i += 2)
        {
            string value = i + 1 < args.Length ? args[i + 1] : throw new ArgumentException(Usage);
            switch (args[i])
            {
                case "--bind":
                    arguments.Addresses.Add(value);
                    break;
                case "--cert":
                    security.Certificate = value;
                    break;
                case "--key":
                    security.Key = value;
                    break;
                case "--ca" or "--client-ca":
                    security.ClientAuthority = value;
                    break;
                case "--psk":
                    security.Psks.Add(CoapPskCredential.Parse(value));
                    break;
                case "--psk-file":
                    security.PskFile = value;
                    break;
                case "--engine" when Enum.TryParse(value, ignoreCase: true, out CoapSocketEngine engine):
                    arguments.Options.Transports.TcpEngine = engine;
                    break;
                case "--udp-engine" when Enum.TryParse(value, ignoreCase: true, out CoapSocketEngine engine):
                    arguments.Options.Transports.UdpEngine = engine;
                    break;
                case "--shards" when int.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out int shards)
                    && shards is >= 1 and <= 64:
                    arguments.Options.Transports.Shards = shards;
                    break;
                default:
                    throw new ArgumentException(Usage);
            }
        }

        if (arguments.Addresses.Count == 0)
        {
            arguments.Addresses.Add("coap://localhost:5683");
        }

        security.ApplyTo(arguments.Options,
            arguments.Addresses.Exists(static address => address.StartsWith("coaps:", StringComparison.OrdinalIgnoreCase)));
        return arguments;
    }
}
