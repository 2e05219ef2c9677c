using System.Text.Json;

namespace CoAP.NET.Site.Pages;

/// <summary>The list of pages beside those of the guides, from <c>site/sidebar.json</c>.</summary>
internal static class Sidebar
{
    private static readonly JsonSerializerOptions s_json = new(JsonSerializerDefaults.Web);

    /// <summary>Makes the list.</summary>
    /// <param name="pages">The pages.</param>
    /// <exception cref="InvalidDataException">A page that is named does not exist, or one is named in no group.</exception>
    public static IReadOnlyList<SidebarEntry> Read(SitePages pages)
    {
        Group[] groups = JsonSerializer.Deserialize<Group[]>(File.ReadAllText(Path.Combine(pages.Root, "site", "sidebar.json")), s_json)!;
        foreach (string page in groups.SelectMany(static group => group.Pages ?? []).Where(page => pages.PlaceOf(page) is null))
        {
            throw new InvalidDataException($"site/sidebar.json names {page}, which does not exist. Take it out.");
        }

        HashSet<string> named = [.. groups.SelectMany(group => SourcesOf(group, pages))];
        string[] missing = [.. pages.Sources.Where(source => !named.Contains(source) && source != "LICENSE")];
        return missing.Length == 0
            ? [.. groups.Select(group => Entry(group, pages))]
            : throw new InvalidDataException($"{string.Join(", ", missing)}: in no group of site/sidebar.json. Add it to one.");
    }

    private static IEnumerable<string> SourcesOf(Group group, SitePages pages) => group.Folder is null
        ? group.Pages ?? []
        : pages.Sources.Where(source => source.StartsWith($"{group.Folder}/", StringComparison.Ordinal))
            .OrderBy(static source => Path.GetFileName(source) != "README.md");

    private static SidebarEntry Entry(Group group, SitePages pages) => new(
        group.Text,
        null,
        [
            .. group.Links ?? [],
            .. SourcesOf(group, pages).Select(source => new SidebarEntry(pages.TitleOf(source), Html(pages.PlaceOf(source)!))),
        ],
        group.Collapsed);

    private static string Html(string place) =>
        $"/{Path.ChangeExtension(place, ".html").Replace("/index.html", "/", StringComparison.Ordinal)}";

    private sealed record Group(string Text, string[]? Pages, string? Folder, SidebarEntry[]? Links, bool Collapsed);
}
