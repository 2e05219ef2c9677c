namespace CoAP.NET.Messages;

/// <summary>Text of which only the ASCII letters have a case: schemes, host names, media types.</summary>
internal static class AsciiText
{
    /// <summary>Converts only ASCII letters to lower case: some letters outside ASCII would become ASCII.</summary>
    public static string ToLower(ReadOnlySpan<char> text) =>
        string.Create(text.Length, text, static (lower, source) =>
        {
            for (int i = 0; i < source.Length; i++)
            {
                lower[i] = char.IsAsciiLetterUpper(source[i]) ? (char)(source[i] | 0x20) : source[i];
            }
        });
}
