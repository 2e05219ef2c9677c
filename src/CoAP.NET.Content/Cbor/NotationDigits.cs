using System.Globalization;

namespace CoAP.NET.Content.Cbor;

/// <summary>The digits of byte strings in diagnostic notation (RFC 4648).</summary>
internal static class NotationDigits
{
    public const string Base16 = "0123456789ABCDEF";
    public const string Base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    public const string Base32Hex = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
    public const string Base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    /// <summary>Returns the value of a digit; negative for other characters. Case matters only in base64.</summary>
    public static int ValueOf(char digit, string alphabet) => alphabet.IndexOf(alphabet != Base64
        ? char.IsAsciiLetterLower(digit) ? (char)(digit & ~0x20) : digit
        : digit switch
        {
            '-' => '+',
            '_' => '/',
            _ => digit,
        });

    public static string NameOf(string alphabet) =>
        string.Create(CultureInfo.InvariantCulture, $"base{alphabet.Length}{(alphabet == Base32Hex ? "hex" : string.Empty)}");
}
