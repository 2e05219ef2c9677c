using System.Text;
using CoAP.NET.Messages;

namespace CoAP.NET.Options;

/// <summary>
/// Reads the options with named properties from the table. Null or empty if the option is absent or its length is invalid.
/// </summary>
internal static class NamedOptions
{
    public static uint? GetUInt(ref OptionTable table, OptionDefinition definition) =>
        table.TryGetLegal(definition, out ReadOnlySpan<byte> bytes) && OptionData.TryReadUInt(bytes, out uint value) ? value : null;

    public static string? GetString(ref OptionTable table, OptionDefinition definition) =>
        table.TryGetLegal(definition, out ReadOnlySpan<byte> bytes) ? Encoding.UTF8.GetString(bytes) : null;

    public static ReadOnlyMemory<byte>? GetOpaque(ref OptionTable table, OptionDefinition definition)
    {
        // Not a conditional expression: it would convert null to empty memory.
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
    /// Returns the reference of Location-Path and Location-Query (RFC 7252 section 5.10.7); null for none, or an invalid one.
    /// </summary>
    public static string? LocationOf(IReadOnlyList<string> path, IReadOnlyList<string> query) =>
        (path.Count == 0 && query.Count == 0) || path.Any(UriText.IsDotSegment) ? null : UriText.FormatReference(path, query);
}
