using System.Globalization;
using System.Text;

namespace CoAP.NET.Testing.Peers;

/// <summary>Parses patterns of bytes.</summary>
internal static class BytePatternParser
{
    public static List<PatternPart> Parse(string text)
    {
        List<PatternPart> parts = [];
        int at = 0;
        while (at < text.Length)
        {
            char c = text[at];
            if (char.IsWhiteSpace(c))
            {
                at++;
                continue;
            }

            if (parts.Count > 0
                && (parts[^1].Kind == PatternPartKind.Rest || parts[^1] is { Kind: PatternPartKind.Capture, Length: PatternPart.Rest }))
            {
                throw Wrong(text, at, "nothing can follow what takes the rest");
            }

            at = c switch
            {
                '\'' => ReadText(text, at, parts),
                '<' => ReadName(text, at, parts),
                '.' => ReadRest(text, at, parts),
                _ => ReadByte(text, at, parts),
            };
        }

        return parts;
    }

    private static int ReadText(string text, int at, List<PatternPart> parts)
    {
        int end = text.IndexOf('\'', at + 1);
        if (end < 0)
        {
            throw Wrong(text, at, "the text has no closing quote");
        }

        foreach (byte value in Encoding.UTF8.GetBytes(text[(at + 1)..end]))
        {
            parts.Add(new PatternPart(PatternPartKind.Byte, value, 0xff));
        }

        return end + 1;
    }

    private static int ReadName(string text, int at, List<PatternPart> parts)
    {
        int end = text.IndexOf('>', at);
        if (end < 0)
        {
            throw Wrong(text, at, "the name has no closing >");
        }

        string[] halves = text[(at + 1)..end].Split(':', 2, StringSplitOptions.TrimEntries);
        string name = halves[0];
        if (name.Length == 0 || !name.All(static c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_'))
        {
            throw Wrong(text, at, "a name has letters, digits, - and _");
        }

        if (halves.Length == 1)
        {
            parts.Add(new PatternPart(PatternPartKind.Reference, Name: name));
        }
        else
        {
            int length = halves[1] switch
            {
                "tkl" => PatternPart.TokenLength,
                "*" => PatternPart.Rest,
                string number when int.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out int bytes) => bytes,
                _ => throw Wrong(text, at, "a length is a number of bytes, tkl or *"),
            };
            parts.Add(new PatternPart(PatternPartKind.Capture, Name: name, Length: length));
        }

        return end + 1;
    }

    private static int ReadRest(string text, int at, List<PatternPart> parts)
    {
        if (at + 1 >= text.Length || text[at + 1] != '.')
        {
            throw Wrong(text, at, "the rest is written with two dots");
        }

        parts.Add(new PatternPart(PatternPartKind.Rest));
        return at + 2;
    }

    private static int ReadByte(string text, int at, List<PatternPart> parts)
    {
        if (at + 1 >= text.Length)
        {
            throw Wrong(text, at, "a byte has two digits");
        }

        (int highValue, int highMask) = Half(text, at);
        (int lowValue, int lowMask) = Half(text, at + 1);
        parts.Add(new PatternPart(PatternPartKind.Byte, (byte)((highValue << 4) | lowValue), (byte)((highMask << 4) | lowMask)));
        return at + 2;
    }

    private static (int Value, int Mask) Half(string text, int at) => text[at] switch
    {
        '?' => (0, 0),
        char c when char.IsAsciiHexDigit(c) => (Convert.ToInt32(c.ToString(), 16), 15),
        _ => throw Wrong(text, at, "a byte is two hexadecimal digits or ?"),
    };

    private static FormatException Wrong(string text, int at, string why) =>
        new($"'{text}' is not a valid pattern: {why} (at character {at + 1}).");
}
