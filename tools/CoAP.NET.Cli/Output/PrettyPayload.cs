using System.Globalization;
using System.Text;
using CoAP.NET.Content;
using Spectre.Console;

namespace CoAP.NET.Cli.Output;

/// <summary>
/// Formats payloads in readable form, according to their Content-Format. A payload that is not valid in its format appears as text or
/// bytes, with a remark.
/// </summary>
internal static class PrettyPayload
{
    // More bytes would only fill the screen; of a longer payload it shows the first ones.
    private const int MostBytes = 1024;
    private const int FewBytes = 256;

    /// <summary>Writes a payload.</summary>
    /// <param name="payload">The bytes.</param>
    /// <param name="format">Their format; null if unknown.</param>
    /// <param name="output">The destination.</param>
    /// <param name="now">The base of relative times in SenML.</param>
    /// <param name="isWhole">Whether to show all bytes of a binary payload, however many.</param>
    public static void Write(ReadOnlyMemory<byte> payload, CoapContentFormat? format, CliOutput output, DateTimeOffset now, bool isWhole)
    {
        string? fault = null;
        bool isShown = format switch
        {
            null => false,
            { } senml when senml == CoapContentFormat.SenmlJson || senml == CoapContentFormat.SenmlCbor =>
                TrySenml(payload, senml, output, now, out fault),
            { } link when link == CoapContentFormat.LinkFormat => TryLinks(payload, output, out fault),
            { IsJson: true } => JsonPrinter.TryWrite(payload.Span, output, out fault),
            { ContentCoding: null, MediaType: { } type } when IsCbor(type) => TryCbor(payload, IsSequence(type), output, out fault),
            _ => false,
        };
        if (isShown)
        {
            return;
        }

        if (fault is not null)
        {
            output.MarkupLine($"[yellow]# no {Markup.Escape(format!.Value.ToString())}: {Markup.Escape(fault)}[/]");
        }

        if (TextSanitizer.IsText(payload.Span, format))
        {
            string text = Encoding.UTF8.GetString(payload.Span);
            output.Writer.Write(text.EndsWith('\n') ? text : text + "\n");
        }
        else if (isWhole || payload.Length <= MostBytes)
        {
            HexDump.Write(payload.Span, output.Writer);
        }
        else
        {
            HexDump.Write(payload.Span[..FewBytes], output.Writer);
            output.MarkupLine(string.Create(
                CultureInfo.InvariantCulture,
                $"[yellow]# {FewBytes} of {payload.Length} bytes. -o FILE saves all, --pretty shows all, --raw writes them "
                    + $"unmodified.[/]"));
        }
    }

    private static bool IsCbor(string mediaType)
    {
        string type = mediaType.Split(';')[0];
        return type is "application/cbor" or "application/cwt" or "application/cose" or "application/cose-key" or "application/cose-key-set"
            || type.EndsWith("+cbor", StringComparison.Ordinal) || IsSequence(type);
    }

    private static bool IsSequence(string mediaType) =>
        mediaType is "application/cbor-seq" || mediaType.EndsWith("+cbor-seq", StringComparison.Ordinal);

    private static bool TryCbor(ReadOnlyMemory<byte> payload, bool isSequence, CliOutput output, out string? fault)
    {
        bool isRead = CoapCborNotation.TryFormat(
            payload.Span, out string text, out CoapContentSyntaxError found, Math.Min(output.Width, 100),
            isSequence);
        fault = isRead ? null : $"{found.Message} at byte {found.Offset}";
        if (isRead)
        {
            output.Writer.WriteLine(text);
        }

        return isRead;
    }

    private static bool TryLinks(ReadOnlyMemory<byte> payload, CliOutput output, out string? fault)
    {
        bool isRead = CoapLinkFormat.TryParse(payload.Span, out IReadOnlyList<CoapLink> links, out CoapContentSyntaxError error);
        fault = isRead ? null : $"{error.Message} at byte {error.Offset}";
        if (isRead)
        {
            output.WriteBlock(LinkTable.Of(links));
        }

        return isRead;
    }

    private static bool TrySenml(ReadOnlyMemory<byte> payload, CoapContentFormat format, CliOutput output, DateTimeOffset now,
        out string? fault)
    {
        bool isRead = CoapSenmlPack.TryParse(payload.Span, format, out CoapSenmlPack? pack, out CoapContentSyntaxError error);
        fault = null;
        if (!isRead)
        {
            fault = $"{error.Message} at byte {error.Offset}";
            return false;
        }

        try
        {
            output.WriteBlock(SenmlTable.Of(pack!.Resolve(now)));
            return true;
        }
        catch (CoapFormatException exception)
        {
            fault = exception.Message;
            return false;
        }
    }
}
