using System.Buffers.Binary;
using System.Globalization;
using System.Text;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>A message option on the command line: <c>NUMBER=VALUE</c> or <c>NAME=VALUE</c>.</summary>
/// <param name="Number">The option number.</param>
/// <param name="Value">The bytes of the value.</param>
internal sealed record MessageOptionParser(int Number, byte[] Value)
{
    private static readonly Dictionary<string, OptionDefinition> s_byName = CoapOptionRegistry.Default.Factories
        .Select(factory => factory.Definition)
        .Where(definition => definition.SignallingCode is null)
        .ToDictionary(definition => definition.Name, StringComparer.OrdinalIgnoreCase);

    /// <summary>The names of all registered options, for completion.</summary>
    public static IEnumerable<string> Names => s_byName.Keys.Order(StringComparer.Ordinal);

    /// <summary>Parses an option.</summary>
    /// <exception cref="UsageException">The text is invalid.</exception>
    public static MessageOptionParser Parse(string text)
    {
        // A comma is valid as well, as in coap-client; an option without a value needs neither.
        int end = text.AsSpan().IndexOfAny('=', ',');
        string name = end < 0 ? text : text[..end];
        string value = end < 0 ? "" : text[(end + 1)..];
        OptionDefinition? definition;
        if (int.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number <= OptionNumber.Max)
        {
            definition = s_byName.Values.FirstOrDefault(known => known.Number == number);
        }
        else if (s_byName.TryGetValue(name, out definition))
        {
            number = definition.Number;
        }
        else
        {
            throw new UsageException($"'{name}' is not an option: write its number (0 to 65535) or registered name.",
                $"Names: {string.Join(", ", Names)}.");
        }

        return new MessageOptionParser(number, ToBytes(value, definition, name));
    }

    private static byte[] ToBytes(string text, OptionDefinition? definition, string name)
    {
        if (text.StartsWith("0x", StringComparison.OrdinalIgnoreCase))
        {
            return HexParser.Parse(text, name);
        }

        if (text.Length >= 2 && text[0] == '"' && text[^1] == '"')
        {
            return Encoding.UTF8.GetBytes(text[1..^1]);
        }

        bool isNumber = uint.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out uint number);
        switch (definition?.Format)
        {
            case OptionFormat.UInt
                when definition.Number is OptionNumber.ContentFormat or OptionNumber.Accept
                    && ContentFormatParser.TryParse(text, out CoapContentFormat format):
                return ToUInt(format.Value);
            case OptionFormat.UInt:
                return isNumber
                    ? ToUInt(number)
                    : throw new UsageException($"{name} takes a number, not '{text}'.", $"Write {name}=60, or its bytes: {name}=0x3c.");
            case OptionFormat.Empty:
                return text.Length == 0 ? [] : throw new UsageException($"{name} has no value.", $"Write --option {name}.");
            case null when isNumber:
                return ToUInt(number);
            default:
                return Encoding.UTF8.GetBytes(text);
        }
    }

    // RFC 7252 section 3.2: without leading zeros, and zero has no byte at all.
    private static byte[] ToUInt(uint value)
    {
        byte[] bytes = new byte[4];
        BinaryPrimitives.WriteUInt32BigEndian(bytes, value);
        return bytes.AsSpan().TrimStart((byte)0).ToArray();
    }
}
