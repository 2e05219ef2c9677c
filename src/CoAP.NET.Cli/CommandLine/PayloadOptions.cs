using System.CommandLine;
using System.Text;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>What a request carries: text, bytes, a file or the standard input.</summary>
internal sealed class PayloadOptions
{
    public Option<string?> Text { get; } = new("--payload", "-e")
    {
        Description = "Send this text. text/plain unless --content-format says otherwise.",
        HelpName = "TEXT"
    };

    public Option<string?> Hex { get; } = new("--hex") { Description = "Send these bytes, in hexadecimal.", HelpName = "HEX" };

    public Option<string?> File { get; } = new("--file", "-f")
    {
        Description = "Send a file, in blocks if it is large; - for the standard input.",
        HelpName = "FILE"
    };

    public Option<CoapContentFormat?> Format { get; } =
        ContentFormats.Option("--content-format",
            "What is sent: a number, a media type, or a name such as json, cbor, text. Default by the name of --file.", "-t");

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[Text, Hex, File, Format])
        {
            command.Options.Add(option);
        }
    }

    /// <summary>The content to send; null for none.</summary>
    /// <param name="parse">The command line.</param>
    /// <param name="context">Where the standard input is.</param>
    /// <param name="isRepeated">Whether it is sent several times, so that what can be read once only must be kept.</param>
    /// <param name="cancellationToken">Stops reading.</param>
    /// <exception cref="UsageException">Several were given.</exception>
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
            return new CoapContent(Encoding.UTF8.GetBytes(text), format ?? CoapContentFormat.TextPlain);
        }

        if (hex is not null)
        {
            return new CoapContent(HexText.Parse(hex, "--hex"), format ?? CoapContentFormat.OctetStream);
        }

        if (file is null)
        {
            return format is null ? null : new CoapContent(default, format);
        }

        if (file != "-")
        {
            // Opened here first, so that what is wrong with it is told before anything is sent.
            await using FileStream readable = System.IO.File.OpenRead(file);
            return CoapContent.File(file, format ?? ContentFormats.OfFile(file));
        }

        if (!isRepeated)
        {
            return CoapContent.Stream(context.In, format);
        }

        using MemoryStream all = new();
        await context.In.CopyToAsync(all, cancellationToken).ConfigureAwait(false);
        return new CoapContent(all.ToArray(), format ?? CoapContentFormat.OctetStream);
    }
}
