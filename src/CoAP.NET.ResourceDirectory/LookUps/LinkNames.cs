namespace CoAP.NET.ResourceDirectory;

/// <summary>Names of attributes with a meaning for the directory.</summary>
internal static class LinkNames
{
    /// <summary>Whether values of a name are lists separated by spaces, whose members are compared one by one.</summary>
    public static bool IsList(ReadOnlySpan<byte> name) => name.Length switch
    {
        2 => AsciiText.AreEqual(name, "rt"u8) || AsciiText.AreEqual(name, "if"u8) || AsciiText.AreEqual(name, "ct"u8),
        3 => AsciiText.AreEqual(name, "rel"u8) || AsciiText.AreEqual(name, "rev"u8),
        _ => false,
    };

    /// <summary>
    /// Whether a registration parameter would have another meaning in look-ups. The directory refuses it because no look-up could find it.
    /// </summary>
    public static bool IsUnsuitable(ReadOnlySpan<byte> name) => AsciiText.AreEqual(name, "page"u8) || AsciiText.AreEqual(name, "count"u8)
        || AsciiText.AreEqual(name, "rt"u8) || AsciiText.AreEqual(name, "href"u8) || AsciiText.AreEqual(name, "anchor"u8);
}
