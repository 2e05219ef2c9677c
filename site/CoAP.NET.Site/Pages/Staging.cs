using System.Text.Json;
using System.Text.Json.Serialization;
using System.Xml.Linq;
using CoAP.NET.Site.Reference;

namespace CoAP.NET.Site.Pages;

/// <summary>Puts everything that the site shows into one folder, in the form that VitePress reads.</summary>
/// <param name="root">The root of the repository.</param>
/// <param name="folder">The folder. What is in it is deleted.</param>
internal sealed class Staging(string root, string folder)
{
    private static readonly JsonSerializerOptions s_json = new(JsonSerializerDefaults.Web)
    {
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    };

    /// <summary>Writes pages, pictures, the reference and the lists of pages.</summary>
    /// <returns>Whether all references of comments lead to something.</returns>
    public bool Run()
    {
        if (Directory.Exists(folder))
        {
            Directory.Delete(folder, recursive: true);
        }

        SitePages pages = new(root);
        PageLinks links = new(pages);
        foreach (string source in pages.Sources)
        {
            Write(pages.PlaceOf(source)!, links.Adapt(pages.Read(source), source));
        }

        Write("index.md", links.Adapt(File.ReadAllText(Path.Combine(root, "site", "home.md")), "site/home.md"));
        Write("decisions/index.md", Decisions(pages));
        CopyPictures();
        ReferencePages reference = ReferenceCommand.Run(folder);
        Dictionary<string, IReadOnlyList<SidebarEntry>> sidebars = new(reference.Sidebars()) { ["/"] = Sidebar.Read(pages) };
        Write("site.json", JsonSerializer.Serialize(new { version = Version(), sidebar = sidebars }, s_json));
        return reference.Unresolved.Count == 0;
    }

    private static string Decisions(SitePages pages) =>
        "# Decisions\n\nWhy things are as they are, in the order in which they were decided.\n\n"
        + string.Concat(pages.Sources.Where(static source => source.StartsWith("docs/decisions/", StringComparison.Ordinal))
            .Select(source => $"- [{pages.TitleOf(source)}](/{pages.PlaceOf(source)})\n"));

    private string Version() =>
        XDocument.Load(Path.Combine(root, "Directory.Build.props")).Descendants("Version").First().Value;

    private void CopyPictures()
    {
        string docs = Path.Combine(root, "docs");
        foreach (string file in Directory.EnumerateFiles(docs, "*", SearchOption.AllDirectories)
            .Where(static file => Path.GetExtension(file) is ".png" or ".svg" or ".jpg" or ".gif"))
        {
            Copy(file, Path.GetRelativePath(docs, file));
        }

        Copy(Path.Combine(root, "assets", "icon.png"), Path.Combine("public", "icon.png"));
    }

    private void Copy(string file, string place)
    {
        string target = Path.Combine(folder, place);
        Directory.CreateDirectory(Path.GetDirectoryName(target)!);
        File.Copy(file, target, overwrite: true);
    }

    private void Write(string place, string text)
    {
        string file = Path.Combine(folder, place);
        Directory.CreateDirectory(Path.GetDirectoryName(file)!);
        File.WriteAllText(file, text);
    }
}
