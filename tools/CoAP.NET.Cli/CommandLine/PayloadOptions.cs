using System.CommandLine;
using System.Globalization;
using System.IO.Pipelines;
using System.Text;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>The payload of a request: text, bytes, a file or the standard input.</summary>
internal sealed class PayloadOptions
{
    private const string EmptyBodyHint = "Give --payload, --hex or --file, or pipe the payload in. An empty one is --payload ''.";

    private static readonly TimeSpan s_silentInput = TimeSpan.FromSeconds(5);

    public Option<string?> Text { get; } = new("--payload", "-e")
    {
        Description = "Send this text. text/plain unless --content-format says otherwise; for a format of CBOR the text is diagnostic "
            + "notation, such as {1: h'0102'}.",
        HelpName = "TEXT"
    };

    public Option<string?> Hex { get; } = new("--hex") { Description = "Send these bytes, in hexadecimal.", HelpName = "HEX" };

    public Option<string?> File { get; } = new("--file", "-f")
    {
        Description = "Send a file, in blocks if it is large; - for the standard input, which PUT, POST, FETCH, PATCH and iPATCH "
            + "also send without these options if it is redirected.",
        HelpName = "FILE"
    };

    public Option<CoapContentFormat?> Format { get; } =
        ContentFormatParser.Option("--content-format",
            "The format of the payload: a number, a media type, or a name such as json, cbor, text. Default by the name of --file.", "-t");

    public void AddTo(GroupedHelpCommand command) => command.AddGroup(HelpGroup.Payload, Text, Hex, File, Format);

    /// <summary>
    /// Returns the content of a request that has one, which is the redirected standard input unless an option gives another. A forgotten
    /// option must not empty a resource: only one that says so gives an empty content.
    /// </summary>
    /// <inheritdoc cref="ToContentAsync"/>
    /// <exception cref="UsageException">There is no payload, or there are several ones.</exception>
    public async Task<CoapContent> ToRequiredContentAsync(ParseResult parse, CliContext context, bool isRepeated,
        CancellationToken cancellationToken) =>
        CountGiven(parse) > 0 ? (await ToContentAsync(parse, context, isRepeated, cancellationToken).ConfigureAwait(false))!
        : context.IsInputRedirected ? await ReadInputAsync(parse, context, isRepeated, cancellationToken).ConfigureAwait(false)
        : throw new UsageException("The request has no payload.", EmptyBodyHint);

    /// <summary>Returns the content to send; null for none.</summary>
    /// <param name="parse">The command line.</param>
    /// <param name="context">Has the standard input.</param>
    /// <param name="isRepeated">Whether to send it several times, which needs a copy of input that is readable only once.</param>
    /// <param name="cancellationToken">Cancels reading.</param>
    /// <exception cref="UsageException">There are several payloads.</exception>
    public async Task<CoapContent?> ToContentAsync(ParseResult parse, CliContext context, bool isRepeated,
        CancellationToken cancellationToken)
    {
        if (CountGiven(parse) > 1)
        {
            throw new UsageException("A request has one payload: --payload, --hex or --file.");
        }

        (string? text, string? hex, string? file) = (parse.GetValue(Text), parse.GetValue(Hex), parse.GetValue(File));
        CoapContentFormat? format = parse.GetValue(Format);
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

        return await OfInputAsync(context.In, format, isRepeated, cancellationToken).ConfigureAwait(false);
    }

    private int CountGiven(ParseResult parse) =>
        ((Option<string?>[])[Text, Hex, File]).Count(option => parse.GetValue(option) is not null);

    // An input that has ended at once is not a payload: a script without a terminal has one, too.
    private async Task<CoapContent> ReadInputAsync(
        ParseResult parse, CliContext context, bool isRepeated, CancellationToken cancellationToken)
    {
        PipeReader input = PipeReader.Create(context.In);
        Task<ReadResult> first = input.ReadAsync(cancellationToken).AsTask();
        try
        {
            await first.WaitAsync(s_silentInput, context.TimeProvider, cancellationToken).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            context.Error.MarkupLine("Waiting for the payload from the standard input, which is redirected.");
        }

        ReadResult read = await first.ConfigureAwait(false);
        if (read.Buffer.IsEmpty)
        {
            throw new UsageException("The request has no payload: the standard input is empty.", EmptyBodyHint);
        }

        input.AdvanceTo(read.Buffer.Start);
        return await OfInputAsync(input.AsStream(), parse.GetValue(Format), isRepeated, cancellationToken).ConfigureAwait(false);
    }

    private static async Task<CoapContent> OfInputAsync(
        Stream input, CoapContentFormat? format, bool isRepeated, CancellationToken cancellationToken)
    {
        if (!isRepeated)
        {
            return CoapContent.Stream(input, format);
        }

        using MemoryStream all = new();
        await input.CopyToAsync(all, cancellationToken).ConfigureAwait(false);
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
                    $"--payload is not CBOR in diagnostic notation (RFC 8949 section 8): {error.Message} at character {error.Offset + 1}."),
                "Write an item such as 3, \"text\", {1: true, \"b\": h'0102'} or JSON; --hex and --file send bytes.");
    }
}
