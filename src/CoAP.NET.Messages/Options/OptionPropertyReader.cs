using System.Text;
using CoAP.NET.Uris;

namespace CoAP.NET.Options;

/// <summary>
/// Reads the options with named properties from the table. Null or empty if the option is absent or its length is invalid.
/// </summary>
internal static class OptionPropertyReader
{
    public static uint? GetUInt(ref OptionCollectionStorage table, OptionDefinition definition) =>
        table.TryGetLegal(definition, out ReadOnlySpan<byte> bytes) && OptionData.TryReadUInt(bytes, out uint value) ? value : null;

    public static string? GetString(CoapOptionCollection options, ref OptionCollectionStorage table, OptionDefinition definition) =>
        options.Registry.IsReplaced(definition.Number) ? CreatedTexts(options, definition).FirstOrDefault()
            : table.TryGetLegal(definition, out ReadOnlySpan<byte> bytes) ? Encoding.UTF8.GetString(bytes)
            : null;

    public static ReadOnlyMemory<byte>? GetOpaque(ref OptionCollectionStorage table, OptionDefinition definition)
    {
        // Not a conditional expression: it would convert null to empty memory.
        if (table.TryGetLegal(definition, out ReadOnlySpan<byte> bytes))
        {
            return bytes.ToArray();
        }

        return null;
    }

    public static string[] GetStrings(CoapOptionCollection options, ref OptionCollectionStorage table, OptionDefinition definition)
    {
        if (options.Registry.IsReplaced(definition.Number))
        {
            return [.. CreatedTexts(options, definition)];
        }

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

    public static CoapETag[] GetTags(ref OptionCollectionStorage table, OptionDefinition definition)
    {
        int count = table.CountLegal(definition);
        CoapETag[] values = count == 0 ? [] : new CoapETag[count];
        int place = -1;
        for (int i = 0; i < values.Length; i++)
        {
            place = table.FirstLegal(definition, place + 1);
            ReadOnlySpan<byte> bytes = table.ValueAt(place);
            values[i] = bytes.IsEmpty ? default : new CoapETag(bytes);
        }

        return values;
    }

    public static ReadOnlyMemory<byte>[] GetOpaques(ref OptionCollectionStorage table, OptionDefinition definition)
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

    /// <summary>Returns the options of a number, in order, as the factory in the registry creates them.</summary>
    public static IEnumerable<CoapOption> CreatedOf(CoapOptionCollection options, OptionDefinition definition)
    {
        int first = definition.AppliesTo(options.Code) ? options.IndexOf(definition.Number) : -1;
        for (int i = first; i >= 0 && i < options.Count && options.NumberAt(i) == definition.Number; i++)
        {
            yield return options.OptionAt(i);
        }
    }

    /// <summary>Checks the length of a value to set; null is always possible.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The definition does not allow the length.</exception>
    public static void CheckLength(OptionDefinition definition, ReadOnlyMemory<byte>? value)
    {
        if (value is { } given && !definition.AllowsLength(given.Length))
        {
            throw new ArgumentOutOfRangeException(
                nameof(value), given.Length, $"A value of {definition.Name} must have {definition.MinLength} to {definition.MaxLength} "
                    + "bytes.");
        }
    }

    /// <summary>
    /// Returns the reference of Location-Path and Location-Query (RFC 7252 section 5.10.7); null for none, or an invalid one.
    /// </summary>
    public static string? LocationOf(IReadOnlyList<string> path, IReadOnlyList<string> query) =>
        (path.Count == 0 && query.Count == 0) || path.Any(UriEncoding.IsDotSegment) ? null : UriEncoding.FormatReference(path, query);

    // The texts of the options that a factory of the application creates.
    private static IEnumerable<string> CreatedTexts(CoapOptionCollection options, OptionDefinition definition) =>
        CreatedOf(options, definition).OfType<StringOption>().Select(static option => option.Value);
}
