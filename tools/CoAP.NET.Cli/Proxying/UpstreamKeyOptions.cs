using System.CommandLine;
using CoAP.NET.Dtls;

namespace CoAP.NET.Cli.Proxying;

/// <summary>The options of a proxy's credentials for its servers, and of its trust in them.</summary>
internal sealed class UpstreamKeyOptions
{
    public Option<FileInfo[]> Ca { get; } = new("--upstream-ca")
    {
        Description = "TLS, DTLS to servers: trust the authorities in this PEM file, or directory of such, instead of the system's. May "
            + "be repeated.",
        HelpName = "FILE",
    };

    public Option<FileInfo?> Certificate { get; } = new("--upstream-cert")
    {
        Description = "TLS, DTLS to servers: present this certificate (PEM).",
        HelpName = "FILE",
    };

    public Option<FileInfo?> Key { get; } = new("--upstream-key")
    {
        Description = "TLS, DTLS to servers: the key of --upstream-cert (PEM), when it is in another file.",
        HelpName = "FILE",
    };

    public Option<string?> Psk { get; } = new("--upstream-psk")
    {
        Description = "coaps to servers: the identity of this proxy, and the key that it shares with them.",
        HelpName = "ID:KEY",
    };

    public Option<FileInfo?> PskFile { get; } = new("--upstream-psk-file")
    {
        Description = "coaps to servers: a file with one line ID:KEY, which the list of processes does not show.",
        HelpName = "FILE",
    };

    public Option<bool> Insecure { get; } = new("--upstream-insecure")
    {
        Description = "TLS, DTLS to servers: trust any server. For tests only.",
    };

    /// <summary>All options, in the order of the help.</summary>
    public IEnumerable<Option> All => [Ca, Certificate, Key, Psk, PskFile, Insecure];

    /// <summary>Applies the options to TLS and DTLS of a client.</summary>
    /// <exception cref="UsageException">Options contradict each other.</exception>
    public void Apply(ParseResult parse, CoapEndpointOptions endpoint)
    {
        FileInfo[] authorities = parse.GetValue(Ca) ?? [];
        (FileInfo? certificate, FileInfo? key) = (parse.GetValue(Certificate), parse.GetValue(Key));
        bool isInsecure = parse.GetValue(Insecure);
        endpoint.Tls = ClientTlsOptionsFactory.Make(authorities, certificate, key, isInsecure);
        endpoint.UseDtls(ClientDtlsOptionsFactory.Make(PskOf(parse), authorities, certificate, key, isInsecure));
    }

    private CoapPskCredential? PskOf(ParseResult parse) => (parse.GetValue(Psk), parse.GetValue(PskFile)) switch
    {
        (null, null) => null,
        (not null, not null) => throw new UsageException("Both --upstream-psk and --upstream-psk-file are present.", "Give one of them."),
        ({ } text, _) => PskParser.Parse(text, "--upstream-psk"),
        (_, { } file) => PskParser.ReadOnlyOne(file),
    };
}
