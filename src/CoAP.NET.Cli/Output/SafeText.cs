using System.Text;
using System.Text.Unicode;

namespace CoAP.NET.Cli.Output;

/// <summary>Text that came from a peer, made harmless: escape sequences of a terminal could hide, change or answer what a person reads.</summary>
internal static class SafeText
{
    /// <summary>The text with control characters other than line feed and tabulator shown as pictures (U+2400 and following).</summary>
    public static string Of(string text)
    {
        if (!text.Any(IsHarmful))
        {
            return text;
        }

        StringBuilder safe = new(text.Length);
        foreach (char c in text)
        {
            _ = !IsHarmful(c) ? safe.Append(c) : safe.Append(c < 0x20 ? (char)(0x2400 + c) : c == 0x7f ? '␡' : '�');
        }

        return safe.ToString();
    }

    /// <summary>The same on one line.</summary>
    public static string LineOf(string text) => Of(text.ReplaceLineEndings(" "));

    /// <summary>Whether bytes are text that a person can read.</summary>
    public static bool IsText(ReadOnlySpan<byte> bytes) => Utf8.IsValid(bytes) && bytes.IndexOfAnyInRange<byte>(0, 8) < 0 && bytes.IndexOfAnyInRange<byte>(14, 31) < 0;

    /// <summary>Whether bytes are text because their sender says so.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="format">What they are called.</param>
    public static bool IsText(ReadOnlySpan<byte> bytes, CoapContentFormat? format) => format is { ContentCoding: null, MediaType: { } type }
        && (type.StartsWith("text/", StringComparison.Ordinal) || type.EndsWith("xml", StringComparison.Ordinal))
        ? Utf8.IsValid(bytes)
        : IsText(bytes);

    private static bool IsHarmful(char c) => (char.IsControl(c) && c is not ('\n' or '\t')) || c is >= '\u202a' and <= '\u202e' or >= '\u2066' and <= '\u2069';
}
