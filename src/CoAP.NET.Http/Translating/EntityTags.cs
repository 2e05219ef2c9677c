using System.Buffers;
using System.Net.Http.Headers;

namespace CoAP.NET.Http.Translating;

/// <summary>Entity-tags of CoAP, 1 to 8 bytes, as strong ones of HTTP: quoted hexadecimal digits.</summary>
internal static class EntityTags
{
    private const int MaxLength = 8;
    private const string JsonEnd = "-json";

    private static readonly SearchValues<char> s_digits = SearchValues.Create("0123456789abcdefABCDEF");

    public static EntityTagHeaderValue ToHttp(ReadOnlySpan<byte> tag) => new($"\"{Convert.ToHexStringLower(tag)}\"");

    /// <summary>The tag of the same representation in JSON, which is another one (RFC 9110 section 8.8.3).</summary>
    public static EntityTagHeaderValue OfJson(EntityTagHeaderValue tag) => new($"{tag.Tag[..^1]}{JsonEnd}\"");

    /// <summary>
    /// The bytes of a tag that <see cref="ToHttp"/> or <see cref="OfJson"/> made; null for any other one, which no CoAP server knows.
    /// </summary>
    public static byte[]? ToCoap(EntityTagHeaderValue tag)
    {
        ReadOnlySpan<char> digits = tag.Tag.AsSpan().Trim('"');
        digits = digits.EndsWith(JsonEnd, StringComparison.Ordinal) ? digits[..^JsonEnd.Length] : digits;
        return digits.Length is >= 2 and <= 2 * MaxLength && digits.Length % 2 == 0 && !digits.ContainsAnyExcept(s_digits)
            ? Convert.FromHexString(digits)
            : null;
    }
}
