namespace ClusterSample;

/// <summary>Finds programs of others.</summary>
internal static class InstalledProgram
{
    /// <summary>Where a program is: by the PATH, or where Debian puts those of PostgreSQL, the newest version first.</summary>
    public static string? Find(string name) => (Environment.GetEnvironmentVariable("PATH") ?? string.Empty)
        .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
        .Concat(Versions().Select(static folder => Path.Combine(folder, "bin")))
        .Select(directory => Path.Combine(directory, name))
        .FirstOrDefault(File.Exists);

    private static IEnumerable<string> Versions() =>
        Directory.Exists("/usr/lib/postgresql")
            ? Directory.GetDirectories("/usr/lib/postgresql").OrderByDescending(static folder => folder, StringComparer.Ordinal)
            : [];
}
