using System.Globalization;
using System.Text;
using CoAP.NET.Cli.Output;

namespace CoAP.NET.Cli.Decoding;

/// <summary>Explains a message field by field: offset, bytes, meaning.</summary>
internal static class FieldExplainer
{
    private const int BytesPerLine = 8;
    private const string Indent = "    ";

    /// <summary>Writes the explanation of the bytes of a message, or where and why they are not valid.</summary>
    public static void Explain(ReadOnlySpan<byte> message, WireFormat format, TextWriter output) =>
        Write(MessageDissector.Dissect(message.ToArray(), format), output);

    public static void Write(DecodedMessage message, TextWriter output)
    {
        foreach (DecodedField field in message.Fields)
        {
            WriteField(message, field, output);
        }

        if (!message.Payload.IsEmpty)
        {
            WritePayload(message, output);
        }

        foreach (string remark in message.Remarks)
        {
            output.WriteLine($"# {remark}");
        }

        if (message.Fault is { } fault)
        {
            output.WriteLine(fault.ToString());
        }
    }

    private static void WriteField(DecodedMessage message, in DecodedField field, TextWriter output)
    {
        // The formatted payload is below; this is its beginning.
        ReadOnlySpan<byte> bytes = message.Bytes.Span.Slice(field.Offset, field.Length);
        bool isPayload = !message.Payload.IsEmpty && field.Offset + field.Length == message.Bytes.Length
            && field.Length == message.Payload.Length;
        int shown = isPayload ? Math.Min(bytes.Length, BytesPerLine) : bytes.Length;
        for (int begin = 0; begin == 0 || begin < shown; begin += BytesPerLine)
        {
            ReadOnlySpan<byte> part = bytes[begin..Math.Min(shown, begin + BytesPerLine)];
            string place = part.IsEmpty ? "    " : (field.Offset + begin).ToString("x4", CultureInfo.InvariantCulture);
            string hex = string.Join(' ', part.ToArray().Select(value => value.ToString("x2", CultureInfo.InvariantCulture)));
            string meaning = begin > 0 ? "" : new string(' ', 2 * field.Level) + field.Text;
            output.WriteLine($"{place}  {hex,-23}{(isPayload && bytes.Length > BytesPerLine ? "…" : " ")} {meaning}".TrimEnd());
        }
    }

    private static void WritePayload(DecodedMessage message, TextWriter output)
    {
        // A part of a JSON document is not valid JSON; and diagnostics have no Content-Format (RFC 7252 section 5.5.2).
        CoapContentFormat? format = message.Part is null ? message.ContentFormat : null;
        using MemoryStream text = new();
        CliOutput lines = new(text, isTerminal: true, width: 100) { HasColor = false };
        PrettyPayload.Write(message.Payload, format, lines, default, isWhole: true);
        foreach (string line in Encoding.UTF8.GetString(text.GetBuffer().AsSpan(0, (int)text.Length)).TrimEnd('\n').Split('\n'))
        {
            output.WriteLine((Indent + line).TrimEnd());
        }
    }
}
