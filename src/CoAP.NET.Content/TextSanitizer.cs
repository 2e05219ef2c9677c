using System.Globalization;
using System.Text;
using System.Text.Unicode;

namespace CoAP.NET.Content;

/// <summary>
/// Makes text from a peer safe to show. Escape sequences of a terminal could hide, change or answer what the user reads; bidirectional
/// controls could reorder it.
/// </summary>
internal static class TextSanitizer
{
    /// <summary>
    /// Replaces control characters, except line feed and tab, with pictures (U+2400 and following), and bidirectional controls with U+FFFD.
    /// </summary>
    public static string Of(string text) =>
        Replace(text, static (c, safe) => safe.Append(c < 0x20 ? (char)(0x2400 + c) : c == 0x7f ? '␡' : '�'));

    /// <summary>The same on one line.</summary>
    public static string LineOf(string text) => Of(text.ReplaceLineEndings(" "));

    /// <summary>
    /// Removes harmful characters from a JSON document. They occur only in its strings, where JSON escapes mean the same.
    /// </summary>
    public static string OfJson(string json) =>
        Replace(json, static (c, safe) => safe.Append(CultureInfo.InvariantCulture, $"\\u{(int)c:x4}"));

    /// <summary>Whether bytes are human-readable text.</summary>
    public static bool IsText(ReadOnlySpan<byte> bytes) =>
        Utf8.IsValid(bytes) && bytes.IndexOfAnyInRange<byte>(0, 8) < 0 && bytes.IndexOfAnyInRange<byte>(14, 31) < 0;

    /// <summary>Whether the Content-Format declares the bytes as text.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="format">The Content-Format of the sender.</param>
    public static bool IsText(ReadOnlySpan<byte> bytes, CoapContentFormat? format) => format is { ContentCoding: null, MediaType: { } type }
        && (type.StartsWith("text/", StringComparison.Ordinal) || type.EndsWith("xml", StringComparison.Ordinal))
        ? Utf8.IsValid(bytes)
        : IsText(bytes);

    private static string Replace(string text, Action<char, StringBuilder> append)
    {
        int first = 0;
        while (first < text.Length && !IsHarmful(text[first]))
        {
            first++;
        }

        if (first == text.Length)
        {
            return text;
        }

        StringBuilder safe = new(text, 0, first, text.Length + 16);
        foreach (char c in text.AsSpan(first))
        {
            if (IsHarmful(c))
            {
                append(c, safe);
            }
            else
            {
                safe.Append(c);
            }
        }

        return safe.ToString();
    }

    // Control characters, and characters with the property Bidi_Control.
    private static bool IsHarmful(char c) =>
        (char.IsControl(c) && c is not ('\n' or '\t'))
        || c is '\u061c' or '\u200e' or '\u200f' or (>= '\u202a' and <= '\u202e') or (>= '\u2066' and <= '\u2069');
}
