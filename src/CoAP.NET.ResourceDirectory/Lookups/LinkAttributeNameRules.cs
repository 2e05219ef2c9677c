namespace CoAP.NET.ResourceDirectory.Lookups;

/// <summary>Names of attributes with a meaning for the directory.</summary>
internal static class LinkAttributeNameRules
{
    /// <summary>Whether values of a name are lists separated by spaces, whose members are compared one by one.</summary>
    public static bool IsList(ReadOnlySpan<byte> name) => name.Length switch
    {
        2 => AsciiComparer.AreEqual(name, "rt"u8) || AsciiComparer.AreEqual(name, "if"u8) || AsciiComparer.AreEqual(name, "ct"u8),
        3 => AsciiComparer.AreEqual(name, "rel"u8) || AsciiComparer.AreEqual(name, "rev"u8),
        _ => false,
    };

    /// <summary>
    /// Whether a registration parameter would have another meaning in lookups. The directory refuses it because no lookup could find it.
    /// </summary>
    public static bool IsUnsuitable(ReadOnlySpan<byte> name) =>
        AsciiComparer.AreEqual(name, "page"u8) || AsciiComparer.AreEqual(name, "count"u8)
        || AsciiComparer.AreEqual(name, "rt"u8) || AsciiComparer.AreEqual(name, "href"u8) || AsciiComparer.AreEqual(name, "anchor"u8);
}
