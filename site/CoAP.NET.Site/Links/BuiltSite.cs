using System.Text.RegularExpressions;

namespace CoAP.NET.Site.Links;

/// <summary>Checks the files of a built site against each other.</summary>
/// <param name="folder">The folder of the site.</param>
/// <param name="root">The address of the site on its host, with a slash at both ends.</param>
internal sealed partial class BuiltSite(string folder, string root = "/")
{
    private readonly Dictionary<string, BuiltPage> _pages = Directory.EnumerateFiles(folder, "*.html", SearchOption.AllDirectories)
        .ToDictionary(
            file => Path.GetRelativePath(folder, file).Replace('\\', '/'),
            static file => new BuiltPage(File.ReadAllText(file)),
            StringComparer.Ordinal);

    /// <summary>How many pages it has.</summary>
    public int Pages => _pages.Count;

    /// <summary>How many links and resources of pages were looked at.</summary>
    public int Checked { get; private set; }

    /// <summary>Finds links that lead nowhere, and what a browser would load from other hosts.</summary>
    /// <returns>Faults as text, each with the file that has it.</returns>
    public IEnumerable<string> Faults()
    {
        foreach ((string name, BuiltPage page) in _pages)
        {
            foreach (string link in page.Links)
            {
                Checked++;
                if (!IsExternal(link) && Fault(name, link) is { } fault)
                {
                    yield return fault;
                }
            }

            foreach (string resource in page.Loads)
            {
                Checked++;
                if (resource.StartsWith("data:", StringComparison.Ordinal))
                {
                    continue;
                }

                if (IsExternal(resource))
                {
                    yield return $"{name} loads {resource} from another host. Put the file into the site.";
                    continue;
                }

                if (Fault(name, resource) is { } fault)
                {
                    yield return fault;
                }
            }
        }

        foreach (string file in Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories)
            .Where(static file => Path.GetExtension(file) is ".css" or ".js" or ".html" or ".svg"))
        {
            foreach (Match match in Loading().Matches(File.ReadAllText(file)))
            {
                yield return $"{Path.GetRelativePath(folder, file)} loads from another host: {match.Value}. Take that out.";
            }
        }
    }

    private static bool IsExternal(string address) =>
        address.StartsWith("//", StringComparison.Ordinal) || Scheme().IsMatch(address);

    private string? Fault(string page, string link)
    {
        string[] parts = link.Split('#', 2);
        string path = Uri.UnescapeDataString(parts[0].Split('?')[0]);
        string? target = path.Length == 0 ? page : Resolve(page, path);
        if (target is null)
        {
            return $"{page} links to {link}, which is outside of the site. Correct the link.";
        }

        if (!_pages.TryGetValue(target, out BuiltPage? built))
        {
            return File.Exists(Path.Combine(folder, target)) ? null : $"{page} links to {link}, which does not exist. Correct the link.";
        }

        return parts.Length == 1 || parts[1].Length == 0 || built.Anchors.Contains(Uri.UnescapeDataString(parts[1]))
            ? null
            : $"{page} links to {link}. {target} has no such section. Correct the link.";
    }

    private string? Resolve(string page, string path)
    {
        Uri address = new(new Uri($"http://site{root}{page}"), path);
        string full = Uri.UnescapeDataString(address.AbsolutePath);
        if (!full.StartsWith(root, StringComparison.Ordinal))
        {
            return null;
        }

        string target = full[root.Length..];
        return target.Length == 0 || target.EndsWith('/') ? $"{target}index.html"
            : _pages.ContainsKey($"{target}.html") ? $"{target}.html"
            : target;
    }

    [GeneratedRegex(@"^[a-zA-Z][a-zA-Z0-9+.-]*:")]
    private static partial Regex Scheme();

    // In styles and scripts: what loads as soon as it is read or called. An address in a text loads nothing.
    [GeneratedRegex(
        @"(?:url\(\s*[""']?|@import\s+[""']|\bimport\s*\(\s*[""'`]|\bfrom\s*[""']"
        + @"|\bfetch\(\s*[""'`]|\bnew (?:Worker|WebSocket|EventSource)\(\s*[""'`])"
        + @"(?:https?:|wss?:)?//[^""'`)\s]+")]
    private static partial Regex Loading();
}
