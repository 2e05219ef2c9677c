namespace CoAP.NET.Cli.CommandLine;

/// <summary>Parses hexadecimal bytes on the command line.</summary>
internal static class HexParser
{
    /// <summary>Parses digits, with or without <c>0x</c>; ignores blanks and colons between bytes.</summary>
    /// <param name="text">The digits.</param>
    /// <param name="what">The purpose, for the error.</param>
    /// <exception cref="UsageException">The text is invalid.</exception>
    public static byte[] Parse(string text, string what)
    {
        string digits = text.StartsWith("0x", StringComparison.OrdinalIgnoreCase) ? text[2..] : text;
        digits = string.Concat(digits.Where(c => !char.IsWhiteSpace(c) && c != ':'));
        try
        {
            return Convert.FromHexString(digits);
        }
        catch (FormatException)
        {
            throw new UsageException($"'{text}' of {what} is not hexadecimal.", "Write two digits for each byte, such as 0x5e2f.");
        }
    }
}
