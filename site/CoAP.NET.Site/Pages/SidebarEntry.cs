namespace CoAP.NET.Site.Pages;

/// <summary>A line of the list of pages beside a page, in the form that VitePress reads.</summary>
/// <param name="Text">What the line says.</param>
/// <param name="Link">The page; null for a heading.</param>
/// <param name="Items">The entries below it; null for none.</param>
/// <param name="Collapsed">Whether what is below is closed at first; null where it cannot be closed.</param>
internal sealed record SidebarEntry(string Text, string? Link, IReadOnlyList<SidebarEntry>? Items = null, bool? Collapsed = null);
