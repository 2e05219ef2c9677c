using System.Text;

namespace CoAP.NET.Hosting;

/// <summary>A secret as configuration has it: text, or <c>0x</c> and hexadecimal digits.</summary>
internal static class SecretText
{
    /// <summary>The fewest bytes of one.</summary>
    public const int MinLength = 32;

    private const string HexPrefix = "0x";

    /// <summary>What messages say is allowed; never the secret.</summary>
    public static TextKind<string> Kind { get; } = new("text, or 0x and hexadecimal digits, of 32 bytes or more",
        static text => BytesOf(text) is null ? null : text);

    /// <summary>The bytes of a secret; null for one that is none or too short.</summary>
    public static byte[]? BytesOf(string text)
    {
        try
        {
            byte[] key = text.StartsWith(HexPrefix, StringComparison.Ordinal)
                ? Convert.FromHexString(text.AsSpan(HexPrefix.Length)) : Encoding.UTF8.GetBytes(text);
            return key.Length >= MinLength ? key : null;
        }
        catch (FormatException)
        {
            return null;
        }
    }
}
