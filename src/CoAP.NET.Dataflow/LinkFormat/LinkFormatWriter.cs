using System.Text;

namespace CoAP.NET.LinkFormat;

/// <summary>Writes documents in link format (RFC 6690 section 2).</summary>
internal static class LinkFormatWriter
{
    public static string Write(IEnumerable<CoapLink> links)
    {
        StringBuilder builder = new();
        foreach (CoapLink link in links)
        {
            builder.Append(builder.Length == 0 ? "<" : ",<").Append(link.Target).Append('>');
            foreach (CoapLinkAttribute attribute in link.Attributes)
            {
                builder.Append(';').Append(attribute.Name);
                if (attribute.Value is { } value)
                {
                    AppendValue(builder.Append('='), attribute.Name, value);
                }
            }
        }

        return builder.ToString();
    }

    private static void AppendValue(StringBuilder builder, string name, string value)
    {
        if (IsWrittenPlain(name, value))
        {
            builder.Append(value);
            return;
        }

        builder.Append('"');
        foreach (char character in value)
        {
            if (character is '"' or '\\')
            {
                builder.Append('\\');
            }

            builder.Append(character);
        }

        builder.Append('"');
    }

    // Quoted strings are allowed nearly everywhere; the grammar requires numbers, language tags and extended values without quotes.
    private static bool IsWrittenPlain(string name, string value) => name.EndsWith('*')
        || name.ToLowerInvariant() switch
        {
            "ct" or "sz" => value.Length != 0 && value.All(char.IsAsciiDigit) && (value.Length == 1 || value[0] != '0'),
            "hreflang" => LinkSyntax.IsToken(value),
            _ => false,
        };
}
