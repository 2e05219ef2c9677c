using System.Text;
using CoAP.NET.Messages;

namespace CoAP.NET.Options;

/// <summary>Values of the options that are known by name, read from their table. Null or empty when the option is absent or its length is
/// illegal.</summary>
internal static class NamedOptions
{
    public static uint? GetUInt(ref OptionTable table, OptionDefinition definition) =>
        table.TryGetLegal(definition, out ReadOnlySpan<byte> bytes) && OptionData.TryReadUInt(bytes, out uint value) ? value : null;

    public static string? GetString(ref OptionTable table, OptionDefinition definition) =>
        table.TryGetLegal(definition, out ReadOnlySpan<byte> bytes) ? Encoding.UTF8.GetString(bytes) : null;

    public static ReadOnlyMemory<byte>? GetOpaque(ref OptionTable table, OptionDefinition definition)
    {
        // Not a conditional expression: there null would become the memory of no bytes.
        if (table.TryGetLegal(definition, out ReadOnlySpan<byte> bytes))
        {
            return bytes.ToArray();
        }

        return null;
    }

    public static string[] GetStrings(ref OptionTable table, OptionDefinition definition)
    {
        int count = table.CountLegal(definition);
        string[] values = count == 0 ? [] : new string[count];
        int place = -1;
        for (int i = 0; i < values.Length; i++)
        {
            place = table.FirstLegal(definition, place + 1);
            values[i] = Encoding.UTF8.GetString(table.ValueAt(place));
        }

        return values;
    }

    public static ReadOnlyMemory<byte>[] GetOpaques(ref OptionTable table, OptionDefinition definition)
    {
        int count = table.CountLegal(definition);
        ReadOnlyMemory<byte>[] values = count == 0 ? [] : new ReadOnlyMemory<byte>[count];
        int place = -1;
        for (int i = 0; i < values.Length; i++)
        {
            place = table.FirstLegal(definition, place + 1);
            values[i] = table.ValueAt(place).ToArray();
        }

        return values;
    }

    /// <summary>
    /// The reference that Location-Path and Location-Query make (RFC 7252 section 5.10.7); null for none, or an illegal one.
    /// </summary>
    public static string? LocationOf(IReadOnlyList<string> path, IReadOnlyList<string> query) =>
        (path.Count == 0 && query.Count == 0) || path.Any(UriText.IsDotSegment) ? null : UriText.FormatReference(path, query);
}
