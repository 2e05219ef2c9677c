using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using CoAP.NET.Cli.CommandLine;

namespace CoAP.NET.Cli.Serving;

internal sealed class ServeOptions
{
    private const long LargestBody = 1L << 30;
    private const long DefaultMaxSize = 64L << 20;

    public Argument<string> Folder { get; } = new("FOLDER")
    {
        Description = "The folder to share. Default: the current one.",
        DefaultValueFactory = _ => "."
    };

    public Option<string[]> Bind { get; } = new("--bind", "-a")
    {
        Description = "The address to listen on: scheme, address and port, such as coap://[::]:5683, coaps://[::], "
            + "coap+tcp://127.0.0.1:0 or coaps+tcp://[::]. May be repeated. Default: coap://[::]:5683, all addresses.",
        HelpName = "URI",
    };

    public Option<bool> Write { get; } = new("--write")
    {
        Description = "Let clients create and replace files by PUT and remove them by DELETE."
    };

    public Option<long?> MaxSize { get; } = new("--max-size")
    {
        Description = "Maximum size of a file for PUT, such as 500K or 64M, in units of 1,024 bytes. Default 64M; at most 1G.",
        HelpName = "SIZE",
        CustomParser = ParseSize
    };

    public Option<bool> All { get; } = new("--all") { Description = "Share files and folders whose names begin with a dot, too." };

    public Option<bool> Join { get; } = new("--join")
    {
        Description = "Join the group All CoAP Nodes, so that coap discover coap://224.0.1.187 finds the folder."
    };

    public Option<TimeSpan?> Check { get; } = DurationParser.PositiveOption("--check",
        "How often to check for changes that the file system does not report. Default 2s.");

    public Option<bool> Quiet { get; } = new("--quiet", "-q") { Description = "Write no line for each request." };

    public ServerKeyOptions Keys { get; } = new();

    public OscoreContextOption Oscore { get; } = new(
        "Serve only requests protected by OSCORE, with the contexts of this file, or of a directory of aiocoap.");

    public void AddTo(GroupedHelpCommand command)
    {
        command.Arguments.Add(Folder);
        command.AddGroup("Folder", Write, MaxSize, All, Check);
        command.AddGroup(HelpGroup.Network, Bind, Join);
        command.AddGroup(HelpGroup.Security, [.. Keys.All, Oscore.Option]);
        command.AddGroup(HelpGroup.Output, Quiet, GlobalOptions.Verbose());
    }

    public long MaxSizeOf(ParseResult parse) => parse.GetValue(MaxSize) ?? DefaultMaxSize;

    public TimeSpan CheckOf(ParseResult parse) => parse.GetValue(Check) ?? TimeSpan.FromSeconds(2);

    private static long? ParseSize(ArgumentResult result)
    {
        string text = result.Tokens is [{ Value: var value }] ? value : "";
        (ReadOnlySpan<char> digits, long unit) = text switch
        {
            [.. var number, 'K' or 'k'] => (number, 1L << 10),
            [.. var number, 'M' or 'm'] => (number, 1L << 20),
            [.. var number, 'G' or 'g'] => (number, 1L << 30),
            _ => (text, 1L),
        };
        if (long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out long count) && count >= 1
            && count <= LargestBody / unit)
        {
            return count * unit;
        }

        result.AddError($"'{text}' is not a size. Write bytes, or 500K, 64M, 1G; at most 1G, the limit of block-wise transfer (RFC 7959).");
        return null;
    }
}
