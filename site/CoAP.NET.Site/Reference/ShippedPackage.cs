using System.Xml.Linq;

namespace CoAP.NET.Site.Reference;

/// <summary>A library that ships as a package.</summary>
/// <param name="Name">The name of the package and of its assembly.</param>
/// <param name="Description">What it is, in the words of its project file.</param>
internal sealed record ShippedPackage(string Name, string Description)
{
    // The package that all others stand on comes first.
    private const string Core = "CoAP.NET.Dataflow";

    /// <summary>The folder of its pages below the reference.</summary>
    public string Folder => Name;

    /// <summary>Reads the projects in <c>src</c>: those that are packed and hold a library, the core first.</summary>
    /// <param name="root">The root of the repository.</param>
    public static IReadOnlyList<ShippedPackage> All(string root) =>
    [
        .. Directory.EnumerateFiles(Path.Combine(root, "src"), "*.csproj", SearchOption.AllDirectories)
            .Select(static file => XDocument.Load(file).Root!)
            .Where(static project => Value(project, "IsPackable") == "true"
                && Value(project, "PackAsTool") != "true" && Value(project, "IncludeBuildOutput") != "false")
            .Select(static project => new ShippedPackage(Value(project, "PackageId")!, Value(project, "Description")!))
            .OrderBy(static package => package.Name != Core)
            .ThenBy(static package => package.Name, StringComparer.Ordinal),
    ];

    private static string? Value(XElement project, string name) => project.Descendants(name).FirstOrDefault()?.Value;
}
