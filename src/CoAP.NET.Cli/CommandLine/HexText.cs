namespace CoAP.NET.Cli.CommandLine;

/// <summary>Bytes on the command line, in hexadecimal.</summary>
internal static class HexText
{
    /// <summary>Reads digits, with or without <c>0x</c>; blanks and colons between bytes are passed over.</summary>
    /// <param name="text">The digits.</param>
    /// <param name="what">What they are for, to name in the error.</param>
    /// <exception cref="UsageException">They are none.</exception>
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
