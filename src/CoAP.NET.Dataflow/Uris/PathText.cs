using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using System.Text.Unicode;

namespace CoAP.NET.Uris;

/// <summary>
/// Converts paths and queries between text in URI form and the decoded segments in options (RFC 7252 sections 6.4 and 6.5).
/// </summary>
internal static class PathText
{
    private const string UnescapedInPath = "-._~!$&'()*+,;=:@";

    /// <summary>
    /// Returns the segments of a path in URI form, still escaped. The first slash is optional; an empty path and a single slash have no
    /// segments.
    /// </summary>
    public static string[] Split(string path) => path is "" or "/" ? [] : (path[0] == '/' ? path[1..] : path).Split('/');

    /// <summary>
    /// Returns whether a decoded segment is <c>.</c> or <c>..</c>, which no Uri-Path or Location-Path may be (RFC 7252 sections 5.10.1 and
    /// 5.10.7).
    /// </summary>
    public static bool IsDotSegment(ReadOnlySpan<byte> segment) => segment.SequenceEqual("."u8) || segment.SequenceEqual(".."u8);

    /// <summary>Removes percent-encoding, once, from a text of the developer.</summary>
    /// <param name="text">The text.</param>
    /// <param name="parameter">The name of the caller's parameter.</param>
    /// <exception cref="ArgumentException">
    /// A percent sign is not followed by two hexadecimal digits, or the bytes are not UTF-8.
    /// </exception>
    public static string Decode(string text, string parameter) =>
        TryDecode(text, out string? decoded, out string? fault) ? decoded : throw new ArgumentException(fault, parameter);

    /// <summary>Removes percent-encoding, once.</summary>
    /// <param name="text">The text.</param>
    /// <param name="decoded">The decoded text; null if this fails.</param>
    /// <param name="fault">What is wrong; null if nothing is.</param>
    /// <returns>False if a percent sign is not followed by two hexadecimal digits, or the bytes are not UTF-8.</returns>
    public static bool TryDecode(string text, [NotNullWhen(true)] out string? decoded, [NotNullWhen(false)] out string? fault)
    {
        fault = null;
        decoded = text;
        if (!text.Contains('%', StringComparison.Ordinal))
        {
            return true;
        }

        decoded = null;

        byte[] bytes = Encoding.UTF8.GetBytes(text);
        int length = 0;
        for (int i = 0; i < bytes.Length; i++)
        {
            byte value = bytes[i];
            if (value == '%')
            {
                if (i + 2 >= bytes.Length
                    || !byte.TryParse(bytes.AsSpan(i + 1, 2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out value))
                {
                    fault = $"'{text}' has a percent sign without two hexadecimal digits. Write %25 for a percent sign.";
                    return false;
                }

                i += 2;
            }

            bytes[length++] = value;
        }

        if (!Utf8.IsValid(bytes.AsSpan(0, length)))
        {
            fault = $"'{text}' is not UTF-8 after percent-decoding. Encode the bytes of UTF-8.";
            return false;
        }

        decoded = Encoding.UTF8.GetString(bytes, 0, length);
        return true;
    }

    /// <summary>
    /// Appends a decoded segment in URI form. It escapes all but unreserved characters, sub-delimiters, colon and at sign (RFC 3986 section
    /// 3.3).
    /// </summary>
    public static void AppendEncoded(StringBuilder builder, ReadOnlySpan<byte> segment)
    {
        foreach (byte value in segment)
        {
            if (char.IsAsciiLetterOrDigit((char)value) || (value < 0x80 && UnescapedInPath.Contains((char)value, StringComparison.Ordinal)))
            {
                builder.Append((char)value);
            }
            else
            {
                builder.Append('%').Append(value.ToString("X2", CultureInfo.InvariantCulture));
            }
        }
    }
}
