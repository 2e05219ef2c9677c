namespace CoAP.NET.Site.Reference;

/// <summary>A line of the list of pages beside a page, in the form that VitePress reads.</summary>
/// <param name="Text">What the line says.</param>
/// <param name="Link">The page; null for a heading.</param>
internal sealed record SidebarEntry(string Text, string? Link)
{
    /// <summary>Makes an entry with others below it.</summary>
    /// <param name="text">What the line says.</param>
    /// <param name="link">The page; null for a heading.</param>
    /// <param name="items">The entries below.</param>
    public SidebarEntry(string text, string? link, IEnumerable<SidebarEntry> items)
        : this(text, link) => Items = [.. items];

    /// <summary>The entries below it; null for none.</summary>
    public IReadOnlyList<SidebarEntry>? Items { get; init; }

    /// <summary>Whether what is below is closed at first; null where it cannot be closed.</summary>
    public bool? Collapsed { get; init; }
}
