using System.Buffers;
using System.Net.Http.Headers;

namespace CoAP.NET.Http.Translating;

/// <summary>Entity-tags of CoAP, 1 to 8 bytes, as strong ones of HTTP: quoted hexadecimal digits.</summary>
internal static class EntityTags
{
    private const int MaxLength = 8;

    private static readonly SearchValues<char> s_digits = SearchValues.Create("0123456789abcdefABCDEF");

    public static EntityTagHeaderValue ToHttp(ReadOnlySpan<byte> tag) => new($"\"{Convert.ToHexStringLower(tag)}\"");

    /// <summary>The bytes of a tag that <see cref="ToHttp"/> made; null for any other one, which no CoAP server knows.</summary>
    public static byte[]? ToCoap(EntityTagHeaderValue tag)
    {
        ReadOnlySpan<char> digits = tag.Tag.AsSpan().Trim('"');
        return digits.Length is >= 2 and <= 2 * MaxLength && digits.Length % 2 == 0 && !digits.ContainsAnyExcept(s_digits)
            ? Convert.FromHexString(digits)
            : null;
    }
}
