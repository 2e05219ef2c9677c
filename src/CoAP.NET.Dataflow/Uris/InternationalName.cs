using System.Globalization;
using System.Text;

namespace CoAP.NET.Uris;

/// <summary>
/// Prepares internationalized host names for <see cref="IdnMapping"/> (RFC 5891, and the mapping of Unicode's UTS 46), so that a program
/// with <c>InvariantGlobalization</c> or without ICU gets the same names: there .NET encodes what it gets, and maps and checks nothing.
/// </summary>
internal static class InternationalName
{
    private static readonly IdnMapping s_mapping = new();

    // Without ICU .NET leaves all text as it is.
    private static readonly bool s_isNormalizing = "u\u0308".Normalize(NormalizationForm.FormC).Length == 1;

    // What may change when it is normalized (NFKC), generously: marks that combine with the letter before, and blocks of letters in
    // another form. Without ICU such a name is refused; with another encoding it would be another host.
    private static readonly (int First, int Last)[] s_unstable =
    [
        (0x00a8, 0x00b5), (0x00b7, 0x00be), (0x0132, 0x0133), (0x013f, 0x0140), (0x0149, 0x0149), (0x017f, 0x017f), (0x01c4, 0x01cc),
        (0x01f1, 0x01f3), (0x02b0, 0x02b8), (0x02d8, 0x02e4), (0x0300, 0x0345), (0x0374, 0x0387), (0x03d0, 0x03d6), (0x03f0, 0x03f9),
        (0x0587, 0x0587), (0x0653, 0x0655), (0x0675, 0x0678), (0x093c, 0x093c), (0x0958, 0x095f), (0x09bc, 0x09be), (0x09d7, 0x09df),
        (0x0a33, 0x0a3c), (0x0a59, 0x0a5e), (0x0b3c, 0x0b3e), (0x0b56, 0x0b5d), (0x0bbe, 0x0bbe), (0x0bd7, 0x0bd7), (0x0c56, 0x0c56),
        (0x0cc2, 0x0cc2), (0x0cd5, 0x0cd6), (0x0d3e, 0x0d3e), (0x0d57, 0x0d57), (0x0dca, 0x0ddf), (0x0e33, 0x0e33), (0x0eb3, 0x0eb3),
        (0x0edc, 0x0edd), (0x0f0c, 0x0f0c), (0x0f43, 0x0fb9), (0x102e, 0x102e), (0x10fc, 0x11ff), (0x1b35, 0x1b35), (0x1d2c, 0x1d6a),
        (0x1d78, 0x1d78), (0x1d9b, 0x1dbf), (0x1e9a, 0x1e9b), (0x1f00, 0x1fff), (0x2000, 0x218f), (0x222c, 0x2230), (0x2329, 0x232a),
        (0x2460, 0x24ea), (0x2a0c, 0x2adc), (0x2c7c, 0x2c7d), (0x2d6f, 0x2d6f), (0x2e80, 0x2fdf), (0x3000, 0x3000), (0x3036, 0x303a),
        (0x3099, 0x309f), (0x30ff, 0x30ff), (0x3131, 0x33ff), (0xa69c, 0xa69d), (0xa770, 0xa770), (0xa7f2, 0xa7f9), (0xab5c, 0xab69),
        (0xf900, 0xffef), (0x10781, 0x107ba), (0x1109a, 0x1114f), (0x11131, 0x11132), (0x1133e, 0x11357), (0x114b0, 0x114be),
        (0x115af, 0x115bb), (0x11930, 0x11938), (0x1ccd6, 0x1ccf9), (0x1d15e, 0x1d1c0), (0x1d400, 0x1d7ff), (0x1e030, 0x1e06d),
        (0x1ee00, 0x1eeff), (0x1f100, 0x1f251), (0x1fbf0, 0x1fbf9), (0x2f800, 0x2fa1f),
    ];

    /// <summary>Returns a name as in the DNS, that is, in ASCII.</summary>
    /// <returns>The name; null if it is not valid.</returns>
    public static string? AsciiOf(string name)
    {
        StringBuilder mapped = new(name.Length);
        foreach (Rune rune in name.EnumerateRunes())
        {
            if (rune.IsAscii)
            {
                mapped.Append(rune);
            }
            else if (!TryMap(rune, mapped))
            {
                return null;
            }
        }

        if (mapped.Length == 0)
        {
            return null;
        }

        try
        {
            return s_mapping.GetAscii(mapped.ToString());
        }
        catch (ArgumentException)
        {
            return null;
        }
    }

    private static bool TryMap(Rune rune, StringBuilder mapped)
    {
        if (IsIgnored(rune.Value))
        {
            return true;
        }

        switch (rune.Value)
        {
            // The full stops of Chinese and Japanese.
            case 0x3002 or 0xff0e or 0xff61:
                mapped.Append('.');
                return true;
            case 0xdf or 0x1e9e:
                mapped.Append("ss");
                return true;
            case 0x3c2:
                mapped.Append('\u03c3');
                return true;
            default:
                break;
        }

        if (Rune.GetUnicodeCategory(rune) is UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.Surrogate
            or UnicodeCategory.PrivateUse or UnicodeCategory.OtherNotAssigned or UnicodeCategory.SpaceSeparator
            or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator || rune == Rune.ReplacementChar
            || (!s_isNormalizing && Array.Exists(s_unstable, range => rune.Value >= range.First && rune.Value <= range.Last)))
        {
            return false;
        }

        mapped.Append(Rune.ToLowerInvariant(rune));
        return true;
    }

    // They have no meaning in a name: hyphens and spaces without width, joiners, and selectors of variants.
    private static bool IsIgnored(int value) => value is 0xad or 0x34f or (>= 0x180b and <= 0x180d) or 0x180f or (>= 0x200b and <= 0x200d)
        or 0x2060 or 0x2064 or (>= 0xfe00 and <= 0xfe0f) or 0xfeff or (>= 0x1bca0 and <= 0x1bca3) or (>= 0xe0100 and <= 0xe01ef);
}
