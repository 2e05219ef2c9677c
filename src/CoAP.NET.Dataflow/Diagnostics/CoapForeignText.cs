using System.Buffers;
using System.Text;

namespace CoAP.NET;

/// <summary>
/// Makes text that a stranger wrote, such as a diagnostic payload or the subject of a certificate, fit for logs, exceptions and terminals:
/// one line, without terminal sequences, of bounded length. It is not made fit for markup: HTML needs its own encoding besides.
/// </summary>
public static class CoapForeignText
{
    /// <summary>The longest text, in characters; the rest is cut.</summary>
    public const int MaxLength = 1024;

    // Characters 0 to 31 and 127 to 159, and those that end lines or turn the direction of writing.
    private static readonly SearchValues<char> s_harmful = SearchValues.Create(
    [
        .. Enumerable.Range(0, 160).Select(static code => (char)code).Where(char.IsControl),
        '\u2028', '\u2029', '\u200e', '\u200f', '\u061c', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068',
        '\u2069',
    ]);

    /// <summary>
    /// The text on one line: control characters, line separators and marks that change the direction of writing become spaces.
    /// </summary>
    /// <param name="text">The text; null for none.</param>
    /// <returns>The text itself where nothing had to change.</returns>
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

    /// <summary>The same of UTF-8, of which no more than <see cref="MaxLength"/> bytes are looked at.</summary>
    /// <param name="utf8">The bytes; what is no UTF-8 becomes U+FFFD.</param>
    /// <returns>The text.</returns>
    public static string LineOf(ReadOnlySpan<byte> utf8) => LineOf(Encoding.UTF8.GetString(utf8[..Math.Min(utf8.Length, MaxLength)]));
}
