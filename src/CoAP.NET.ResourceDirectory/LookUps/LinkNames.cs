namespace CoAP.NET.ResourceDirectory;

/// <summary>Names of attributes that mean something to a directory.</summary>
internal static class LinkNames
{
    /// <summary>Whether values of a name are lists divided by spaces, of which each member is compared by itself.</summary>
    /// <param name="name">The name.</param>
    public static bool IsList(ReadOnlySpan<byte> name) => name.Length switch
    {
        2 => AsciiText.AreEqual(name, "rt"u8) || AsciiText.AreEqual(name, "if"u8) || AsciiText.AreEqual(name, "ct"u8),
        3 => AsciiText.AreEqual(name, "rel"u8) || AsciiText.AreEqual(name, "rev"u8),
        _ => false,
    };

    /// <summary>
    /// Whether a parameter of a registration would mean something else in look-ups: such a one is refused, as nobody could find by it.
    /// </summary>
    /// <param name="name">The name.</param>
    public static bool IsUnsuitable(ReadOnlySpan<byte> name) => AsciiText.AreEqual(name, "page"u8) || AsciiText.AreEqual(name, "count"u8)
        || AsciiText.AreEqual(name, "rt"u8) || AsciiText.AreEqual(name, "href"u8) || AsciiText.AreEqual(name, "anchor"u8);
}
