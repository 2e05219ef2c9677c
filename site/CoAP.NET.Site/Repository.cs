namespace CoAP.NET.Site;

/// <summary>Finds the repository from the current folder or from the program.</summary>
internal static class Repository
{
    /// <summary>The folder that holds the solution.</summary>
    /// <exception cref="DirectoryNotFoundException">No parent folder holds the solution.</exception>
    public static string Root { get; } = Find(Environment.CurrentDirectory) ?? Find(AppContext.BaseDirectory)
        ?? throw new DirectoryNotFoundException("No folder above holds CoAP.NET.sln. Run this program from within the repository.");

    private static string? Find(string folder)
    {
        DirectoryInfo? root = new(folder);
        while (root is not null && !File.Exists(Path.Combine(root.FullName, "CoAP.NET.sln")))
        {
            root = root.Parent;
        }

        return root?.FullName;
    }

    /// <summary>All pages that people read: the README, the pages at the top and those in <c>docs</c>, as paths from the root.</summary>
    public static IEnumerable<string> Pages() => Directory.EnumerateFiles(Root, "*.md")
        .Concat(Directory.EnumerateFiles(Path.Combine(Root, "docs"), "*.md", SearchOption.AllDirectories))
        .Select(static path => Path.GetRelativePath(Root, path).Replace('\\', '/'))
        .Order(StringComparer.Ordinal);
}
