using System.Buffers;
using System.Text;

namespace CoAP.NET.Diagnostics;

/// <summary>
/// Makes text from untrusted sources, such as a diagnostic payload or the subject of a certificate, safe for logs, exceptions and
/// terminals: one line, without terminal sequences, of limited length.
/// </summary>
/// <remarks>It does not escape markup: HTML needs its own encoding.</remarks>
internal static class CoapUntrustedText
{
    /// <summary>The maximum length of the text, in characters; the rest is cut.</summary>
    public const int MaxLength = 1024;

    // Characters 0 to 31 and 127 to 159, and those that end lines or change the writing direction.
    private static readonly SearchValues<char> s_harmful = SearchValues.Create(
    [
        .. Enumerable.Range(0, 160).Select(static code => (char)code).Where(char.IsControl),
        '\u2028', '\u2029', '\u200e', '\u200f', '\u061c', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068',
        '\u2069',
    ]);

    /// <summary>
    /// Returns the text on one line: control characters, line separators and marks that change the writing direction become spaces.
    /// </summary>
    /// <param name="text">The text; null for none.</param>
    /// <returns>The text itself if nothing had to change.</returns>
    public static string LineOf(string? text)
    {
        if (string.IsNullOrEmpty(text))
        {
            return string.Empty;
        }

        if (text.Length <= MaxLength && !text.AsSpan().ContainsAny(s_harmful))
        {
            return text;
        }

        return string.Create(Math.Min(text.Length, MaxLength), text, static (line, from) =>
        {
            for (int i = 0; i < line.Length; i++)
            {
                line[i] = s_harmful.Contains(from[i]) ? ' ' : from[i];
            }
        });
    }

    /// <summary>Returns UTF-8 text on one line, from at most <see cref="MaxLength"/> bytes.</summary>
    /// <param name="utf8">The bytes; invalid UTF-8 becomes U+FFFD.</param>
    /// <returns>The text.</returns>
    public static string LineOf(ReadOnlySpan<byte> utf8) => LineOf(Encoding.UTF8.GetString(utf8[..Math.Min(utf8.Length, MaxLength)]));
}
