using System.Text;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>A secret in configuration: text, or <c>0x</c> and hexadecimal digits.</summary>
internal static class ConfigurationSecret
{
    /// <summary>Minimum length in bytes.</summary>
    public const int MinLength = 32;

    private const string HexPrefix = "0x";

    /// <summary>The allowed format, for messages that never show the secret.</summary>
    public const string Allowed = "text, or 0x and hexadecimal digits, of 32 bytes or more";

    /// <summary>Returns the bytes of a secret; null if it is invalid or too short.</summary>
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
