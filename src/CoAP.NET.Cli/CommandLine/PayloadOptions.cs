using System.CommandLine;
using System.Globalization;
using System.Text;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>The payload of a request: text, bytes, a file or the standard input.</summary>
internal sealed class PayloadOptions
{
    public Option<string?> Text { get; } = new("--payload", "-e")
    {
        Description = "Send this text. text/plain unless --content-format says otherwise; for a format of CBOR the text is diagnostic "
            + "notation, such as {1: h'0102'}.",
        HelpName = "TEXT"
    };

    public Option<string?> Hex { get; } = new("--hex") { Description = "Send these bytes, in hexadecimal.", HelpName = "HEX" };

    public Option<string?> File { get; } = new("--file", "-f")
    {
        Description = "Send a file, in blocks if it is large; - for the standard input.",
        HelpName = "FILE"
    };

    public Option<CoapContentFormat?> Format { get; } =
        ContentFormatParser.Option("--content-format",
            "The format of the payload: a number, a media type, or a name such as json, cbor, text. Default by the name of --file.", "-t");

    public void AddTo(GroupedHelpCommand command) => command.AddGroup(HelpGroup.Payload, Text, Hex, File, Format);

    /// <summary>Returns the content to send; null for none.</summary>
    /// <param name="parse">The command line.</param>
    /// <param name="context">Has the standard input.</param>
    /// <param name="isRepeated">Whether to send it several times, which needs a copy of input that is readable only once.</param>
    /// <param name="cancellationToken">Cancels reading.</param>
    /// <exception cref="UsageException">There are several payloads.</exception>
    public async Task<CoapContent?> ToContentAsync(ParseResult parse, CliContext context, bool isRepeated,
        CancellationToken cancellationToken)
    {
        (string? text, string? hex, string? file) = (parse.GetValue(Text), parse.GetValue(Hex), parse.GetValue(File));
        CoapContentFormat? format = parse.GetValue(Format);
        if ((text is null ? 0 : 1) + (hex is null ? 0 : 1) + (file is null ? 0 : 1) > 1)
        {
            throw new UsageException("A request has one payload: --payload, --hex or --file.");
        }

        if (text is not null)
        {
            return new CoapContent(BytesOf(text, format), format ?? CoapContentFormat.TextPlain);
        }

        if (hex is not null)
        {
            return new CoapContent(HexParser.Parse(hex, "--hex"), format ?? CoapContentFormat.OctetStream);
        }

        if (file is null)
        {
            return format is null ? null : new CoapContent(default, format);
        }

        if (file != "-")
        {
            // Opened here first, so that the user sees an error before the command sends anything.
            await using FileStream readable = System.IO.File.OpenRead(file);
            return CoapContent.File(file, format ?? ContentFormatParser.OfFile(file));
        }

        if (!isRepeated)
        {
            return CoapContent.Stream(context.In, format);
        }

        using MemoryStream all = new();
        await context.In.CopyToAsync(all, cancellationToken).ConfigureAwait(false);
        return new CoapContent(all.ToArray(), format ?? CoapContentFormat.OctetStream);
    }

    // The text form of CBOR is diagnostic notation (RFC 8949 section 8), which includes JSON.
    private static byte[] BytesOf(string text, CoapContentFormat? format)
    {
        bool isSequence = format == CoapContentFormat.CborSequence;
        if (!isSequence && format is not { IsCbor: true })
        {
            return Encoding.UTF8.GetBytes(text);
        }

        return CoapCborNotation.TryParse(text, out byte[] cbor, out CoapContentSyntaxError error, isSequence)
            ? cbor
            : throw new UsageException(
                string.Create(CultureInfo.InvariantCulture,
                    $"--payload is no CBOR in diagnostic notation (RFC 8949 section 8): {error.Message} at character {error.Offset + 1}."),
                "Write an item such as 3, \"text\", {1: true, \"b\": h'0102'} or JSON; --hex and --file send bytes.");
    }
}
