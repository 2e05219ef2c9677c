using System.Text;
using CoAP.NET.Cli.CommandLine;

namespace CoAP.NET.Cli.Decoding;

/// <summary>Reads the bytes to decode, in any of their forms.</summary>
internal static class DecodeInput
{
    // Larger than any pasted input; captures of days are for another tool.
    private const int LargestInput = 256 * 1024 * 1024;

    /// <summary>Reads words in hexadecimal: with or without <c>0x</c>, blanks, colons, commas, dashes, <c>\x</c>.</summary>
    /// <exception cref="UsageException">They are not hexadecimal.</exception>
    public static byte[] OfWords(IEnumerable<string> words)
    {
        string text = string.Join(' ', words);
        return TryOfText(text, out byte[]? bytes) ? bytes : HexParser.Parse(Digits(text), "the message");
    }

    /// <summary>Reads a file: its text, if that is hexadecimal, and otherwise the raw file.</summary>
    public static async Task<byte[]> OfStreamAsync(Stream stream, CancellationToken cancellationToken)
    {
        using MemoryStream all = new();
        byte[] buffer = new byte[64 * 1024];
        int read;
        while ((read = await stream.ReadAsync(buffer, cancellationToken).ConfigureAwait(false)) > 0)
        {
            all.Write(buffer, 0, read);
            if (all.Length > LargestInput)
            {
                throw new UsageException($"The input has more than {LargestInput} bytes.", "Cut the capture into smaller files.");
            }
        }

        byte[] bytes = all.ToArray();
        return bytes.AsSpan().IndexOfAnyExceptInRange<byte>(9, 126) < 0 && TryOfText(Encoding.ASCII.GetString(bytes), out byte[]? decoded)
            ? decoded
            : bytes;
    }

    private static bool TryOfText(string text, [System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out byte[]? bytes)
    {
        string digits = Digits(text);
        bool isHex = digits.Length % 2 == 0 && digits.All(char.IsAsciiHexDigit);
        bytes = isHex ? Convert.FromHexString(digits) : null;
        return isHex;
    }

    private static string Digits(string text) => string.Concat(
        text.Replace("0x", "", StringComparison.OrdinalIgnoreCase).Replace("\\x", "", StringComparison.OrdinalIgnoreCase)
            .Where(c => !char.IsWhiteSpace(c) && c is not (':' or ',' or '-' or ';' or '"' or '\'')));
}
