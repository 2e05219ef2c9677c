namespace CoAP.NET.Tests.Shared;

/// <summary>Where the repository is that these tests were built in.</summary>
internal static class Repository
{
    public static string Root { get; } = Find();

    // What ships: libraries, tools, and the benchmarks that users derive theirs from.
    private static readonly string[] s_shipped =
        [Path.Combine(Root, "src"), Path.Combine(Root, "tools"), Path.Combine(Root, "benchmarks", "CoAP.NET.SerializerMatrix")];

    /// <summary>The files of what ships, without those that the build makes.</summary>
    /// <param name="pattern">The names, such as <c>*.cs</c>.</param>
    public static IEnumerable<string> ShippedFiles(string pattern) => FilesIn(s_shipped, pattern);

    /// <summary>The files in folders, with those below, without those that the build makes.</summary>
    /// <param name="folders">The folders, as full paths or from the root.</param>
    /// <param name="pattern">The names, such as <c>*.cs</c>.</param>
    /// <returns>Their full paths, in order.</returns>
    public static IEnumerable<string> FilesIn(IEnumerable<string> folders, string pattern) =>
        folders.SelectMany(folder => Directory.EnumerateFiles(Path.Combine(Root, folder), pattern, SearchOption.AllDirectories))
            .Where(static file =>
                !Path.GetRelativePath(Root, file).Split(Path.DirectorySeparatorChar).Any(static part => part is "bin" or "obj"))
            .Order(StringComparer.Ordinal);

    /// <summary>The folder of a project that ships.</summary>
    /// <exception cref="ArgumentException">No project that ships has the name.</exception>
    public static string FolderOf(string project) =>
        ShippedFiles($"{project}.csproj").Select(static file => Path.GetDirectoryName(file)!).SingleOrDefault()
            ?? throw new ArgumentException($"No project that ships is named {project}.", nameof(project));

    private static string Find()
    {
        for (DirectoryInfo? directory = new(AppContext.BaseDirectory); directory is not null; directory = directory.Parent)
        {
            if (File.Exists(Path.Combine(directory.FullName, "CoAP.NET.sln")))
            {
                return directory.FullName;
            }
        }

        throw new InvalidOperationException("The tests do not run from within the repository.");
    }
}
