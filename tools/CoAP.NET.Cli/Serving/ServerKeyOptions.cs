using System.CommandLine;

namespace CoAP.NET.Cli.Serving;

/// <summary>The options of a server's credentials on secured addresses, and of the clients that it accepts there.</summary>
internal sealed class ServerKeyOptions
{
    public Option<FileInfo?> Certificate { get; } = new("--cert", "-c")
    {
        Description = "TLS, DTLS: the certificate to present (PEM).",
        HelpName = "FILE",
    };

    public Option<FileInfo?> Key { get; } = new("--key", "-j")
    {
        Description = "TLS, DTLS: the key of --cert (PEM), when it is in another file.",
        HelpName = "FILE",
    };

    public Option<FileInfo?> Ca { get; } = new("--ca", "-C")
    {
        Description = "TLS, DTLS: serve only clients with a certificate of an authority in this file (PEM).",
        HelpName = "FILE",
    };

    public Option<string[]> Psk { get; } = new("--psk")
    {
        Description = "coaps: a client and the key that it shares with this server; the key as text, or as 0x and hexadecimal digits. "
            + "May be repeated.",
        HelpName = "ID:KEY",
    };

    public Option<FileInfo?> PskFile { get; } = new("--psk-file")
    {
        Description = "coaps: a file with lines ID:KEY, which the list of processes does not show, unlike --psk.",
        HelpName = "FILE",
    };

    /// <summary>All options, in the order of the help.</summary>
    public IEnumerable<Option> All => [Certificate, Key, Ca, Psk, PskFile];
}
