using System.Globalization;
using System.Text;
using System.Text.Unicode;

namespace CoAP.NET.Resources;

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

    /// <summary>Removes percent-encoding, once.</summary>
    /// <exception cref="FormatException">A percent sign is not followed by two hexadecimal digits, or the bytes are not UTF-8.</exception>
    public static string Decode(string text)
    {
        if (!text.Contains('%', StringComparison.Ordinal))
        {
            return text;
        }

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
                    throw new FormatException($"'{text}' has a percent sign without two hexadecimal digits. Write %25 for a percent sign.");
                }

                i += 2;
            }

            bytes[length++] = value;
        }

        return Utf8.IsValid(bytes.AsSpan(0, length))
            ? Encoding.UTF8.GetString(bytes, 0, length)
            : throw new FormatException($"'{text}' is not UTF-8 after percent-decoding.");
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
