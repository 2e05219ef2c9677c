using System.CommandLine;
using CoAP.NET.Cli.CommandLine;
using CoAP.NET.Dtls;

namespace CoAP.NET.Cli.Proxying;

/// <summary>The options that say how a proxy proves itself to the servers that it asks, and which of them it trusts.</summary>
internal sealed class UpstreamKeyOptions
{
    public Option<FileInfo[]> Ca { get; } = new("--upstream-ca")
    {
        Description = "TLS, DTLS to servers: trust those of the authorities in this PEM file, or directory of such, instead of those that "
            + "the system trusts. May be repeated.",
        HelpName = "FILE",
    };

    public Option<FileInfo?> Certificate { get; } = new("--upstream-cert")
    {
        Description = "TLS, DTLS to servers: show this certificate (PEM).",
        HelpName = "FILE",
    };

    public Option<FileInfo?> Key { get; } = new("--upstream-key")
    {
        Description = "TLS, DTLS to servers: the key of --upstream-cert (PEM), when it is in another file.",
        HelpName = "FILE",
    };

    public Option<string?> Psk { get; } = new("--upstream-psk")
    {
        Description = "coaps to servers: who this proxy is, and the key that it shares with them.",
        HelpName = "ID:KEY",
    };

    public Option<FileInfo?> PskFile { get; } = new("--upstream-psk-file")
    {
        Description = "coaps to servers: a file with one line ID:KEY, which nobody sees in the list of processes.",
        HelpName = "FILE",
    };

    public Option<bool> Insecure { get; } = new("--upstream-insecure")
    {
        Description = "TLS, DTLS to servers: trust anybody. For trying out only.",
    };

    /// <summary>All of them, in the order of the help.</summary>
    public IEnumerable<Option> All => [Ca, Certificate, Key, Psk, PskFile, Insecure];

    /// <summary>Sets TLS and DTLS of a client as the command line says.</summary>
    /// <exception cref="UsageException">Options contradict each other.</exception>
    public void Apply(ParseResult parse, CoapEndpointOptions endpoint)
    {
        FileInfo[] authorities = parse.GetValue(Ca) ?? [];
        (FileInfo? certificate, FileInfo? key) = (parse.GetValue(Certificate), parse.GetValue(Key));
        bool isInsecure = parse.GetValue(Insecure);
        endpoint.Tls = ClientSecurity.Make(authorities, certificate, key, isInsecure);
        endpoint.UseDtls(ClientDtls.Make(PskOf(parse), authorities, certificate, key, isInsecure));
    }

    private CoapPskCredential? PskOf(ParseResult parse) => (parse.GetValue(Psk), parse.GetValue(PskFile)) switch
    {
        (null, null) => null,
        (not null, not null) => throw new UsageException("--upstream-psk and --upstream-psk-file are both given.", "One key is enough."),
        ({ } text, _) => PskText.Parse(text, "--upstream-psk"),
        (_, { } file) => PskText.ReadOnlyOne(file),
    };
}
