namespace CoAP.NET.Site.Pages;

/// <summary>Which files of the repository are pages of the site, and where each is there.</summary>
internal sealed class SitePages
{
    // The pages outside of docs, and those whose names other pages have.
    private static readonly Dictionary<string, string> s_atTop = new(StringComparer.Ordinal)
    {
        ["README.md"] = "overview.md",
        ["SECURITY.md"] = "security-policy.md",
        ["CONTRIBUTING.md"] = "contributing.md",
        ["CHANGELOG.md"] = "changelog.md",
        ["LICENSE"] = "licence.md",
        ["docs/README.md"] = "pages.md",
        ["samples/README.md"] = "samples.md",
    };

    private static readonly Dictionary<string, string> s_names = new(StringComparer.Ordinal)
    {
        ["README.md"] = "Overview",
        ["SECURITY.md"] = "Reporting vulnerabilities",
        ["docs/README.md"] = "All pages",
    };

    private readonly Dictionary<string, string> _places;

    /// <summary>Finds the pages of a repository.</summary>
    /// <param name="root">Its root.</param>
    public SitePages(string root)
    {
        Root = root;
        _places = Directory.EnumerateFiles(Path.Combine(root, "docs"), "*.md", SearchOption.AllDirectories)
            .Select(file => Path.GetRelativePath(root, file).Replace('\\', '/'))
            .ToDictionary(
                static source => source,
                static source => source["docs/".Length..].Replace("/README.md", "/index.md", StringComparison.Ordinal),
                StringComparer.Ordinal);
        foreach ((string source, string place) in s_atTop)
        {
            _places[source] = place;
        }
    }

    /// <summary>The root of the repository.</summary>
    public string Root { get; }

    /// <summary>The pages as paths from the root of the repository, in order.</summary>
    public IEnumerable<string> Sources => _places.Keys.Order(StringComparer.Ordinal);

    /// <summary>Where a page is on the site; null for what is no page.</summary>
    /// <param name="source">A path from the root of the repository. A folder with pages is their list.</param>
    public string? PlaceOf(string source) => _places.TryGetValue(source, out string? place) ? place
        : _places.Keys.Any(page => page.StartsWith($"{source.TrimEnd('/')}/", StringComparison.Ordinal))
            ? $"{source.TrimEnd('/')["docs".Length..].TrimStart('/')}/index.md".TrimStart('/')
            : null;

    /// <summary>The text of a page as it is in the repository.</summary>
    /// <param name="source">A path from the root of the repository.</param>
    public string Read(string source)
    {
        string text = File.ReadAllText(Path.Combine(Root, source));
        return source.EndsWith(".md", StringComparison.Ordinal) ? text : $"# Licence\n\n```text\n{text.TrimEnd()}\n```\n";
    }

    /// <summary>What links call a page: its first heading as plain text, or another name where that one names another page too.</summary>
    /// <param name="source">A path from the root of the repository.</param>
    public string TitleOf(string source)
    {
        if (s_names.TryGetValue(source, out string? name))
        {
            return name;
        }

        string heading = Read(source).Split('\n').FirstOrDefault(static line => line.StartsWith("# ", StringComparison.Ordinal))
            ?? throw new InvalidDataException($"{source} has no heading. Begin it with a line \"# ...\".");
        return heading[2..].Replace("`", "", StringComparison.Ordinal).Trim();
    }
}
