namespace CoAP.NET.Cli.Files;

/// <summary>Folders by their path without links.</summary>
internal static class LinkFreePath
{
    /// <summary>Returns the full path of a folder after all links on the way to it.</summary>
    public static string Of(string folder)
    {
        DirectoryInfo directory = new(Path.TrimEndingDirectorySeparator(Path.GetFullPath(folder)));
        FileSystemInfo real = directory.ResolveLinkTarget(returnFinalTarget: true) ?? directory;
        return Path.GetDirectoryName(real.FullName) is { } parent ? Path.Join(Of(parent), real.Name) : real.FullName;
    }
}
