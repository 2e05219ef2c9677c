using System.Buffers;
using System.Net.Http.Headers;

namespace CoAP.NET.Http.Translating;

/// <summary>Converts entity-tags of CoAP, 1 to 8 bytes, to strong ones of HTTP: quoted hexadecimal digits.</summary>
internal static class EntityTags
{
    private const int MaxLength = 8;
    private const string JsonEnd = "-json";

    private static readonly SearchValues<char> s_digits = SearchValues.Create("0123456789abcdefABCDEF");

    public static EntityTagHeaderValue ToHttp(ReadOnlySpan<byte> tag) => new($"\"{Convert.ToHexStringLower(tag)}\"");

    /// <summary>The tag of the JSON variant of a representation, which needs its own tag (RFC 9110 section 8.8.3).</summary>
    public static EntityTagHeaderValue OfJson(EntityTagHeaderValue tag) => new($"{tag.Tag[..^1]}{JsonEnd}\"");

    /// <summary>
    /// Returns the bytes of a tag made by <see cref="ToHttp"/> or <see cref="OfJson"/>; null for any other tag because no CoAP server knows
    /// it.
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
