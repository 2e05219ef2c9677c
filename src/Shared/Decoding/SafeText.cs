using System.Globalization;
using System.Text;
using System.Text.Unicode;

namespace CoAP.NET.Decoding;

/// <summary>
/// Text that came from a peer, made harmless: escape sequences of a terminal could hide, change or answer what a person reads, and
/// bidirectional controls could show it in another order.
/// </summary>
internal static class SafeText
{
    /// <summary>
    /// The text with control characters other than line feed and tabulator shown as pictures (U+2400 and following), and bidirectional
    /// controls as U+FFFD.
    /// </summary>
    public static string Of(string text) =>
        Replace(text, static (c, safe) => safe.Append(c < 0x20 ? (char)(0x2400 + c) : c == 0x7f ? '␡' : '�'));

    /// <summary>The same on one line.</summary>
    public static string LineOf(string text) => Of(text.ReplaceLineEndings(" "));

    /// <summary>
    /// A JSON document without harmful characters. They stand in its strings only, where an escape sequence of JSON means the same.
    /// </summary>
    public static string OfJson(string json) =>
        Replace(json, static (c, safe) => safe.Append(CultureInfo.InvariantCulture, $"\\u{(int)c:x4}"));

    /// <summary>Whether bytes are text that a person can read.</summary>
    public static bool IsText(ReadOnlySpan<byte> bytes) =>
        Utf8.IsValid(bytes) && bytes.IndexOfAnyInRange<byte>(0, 8) < 0 && bytes.IndexOfAnyInRange<byte>(14, 31) < 0;

    /// <summary>Whether bytes are text because their sender says so.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="format">What they are called.</param>
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

    // Control characters, and those that have the property Bidi_Control.
    private static bool IsHarmful(char c) =>
        (char.IsControl(c) && c is not ('\n' or '\t'))
        || c is '\u061c' or '\u200e' or '\u200f' or (>= '\u202a' and <= '\u202e') or (>= '\u2066' and <= '\u2069');
}
