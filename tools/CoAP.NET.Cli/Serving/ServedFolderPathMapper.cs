using System.Buffers;
using CoAP.NET.Cli.Files;
using CoAP.NET.Files;

namespace CoAP.NET.Cli.Serving;

/// <summary>
/// Maps paths of requests to files in one folder, and never outside of it. Each segment must be a plain name, with a lookup of its own: it
/// never follows links, wherever they point.
/// </summary>
internal sealed class ServedFolderPathMapper
{
    private const int LongestName = 255;

    // Separators and drive letters of all systems; the rest are characters with a special meaning on Windows.
    private static readonly SearchValues<char> s_never = SearchValues.Create("/\\\0");
    private static readonly SearchValues<char> s_neverOnWindows = SearchValues.Create("<>:\"|?*");
    private static readonly string[] s_devices = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$",
        .. Enumerable.Range(0, 10).SelectMany(i => (string[])[$"COM{i}", $"LPT{i}"])];
    private static readonly EnumerationOptions s_exact = new()
    {
        MatchCasing = MatchCasing.CaseSensitive,
        MatchType = MatchType.Simple,
        AttributesToSkip = 0
    };

    private readonly bool _hasHidden;

    /// <summary>Shares a folder.</summary>
    /// <param name="root">The folder; a link is valid here, because the user named it.</param>
    /// <param name="hasHidden">Whether to share names that begin with a dot too.</param>
    /// <exception cref="DirectoryNotFoundException">The folder does not exist.</exception>
    public ServedFolderPathMapper(string root, bool hasHidden)
    {
        DirectoryInfo directory = new(Path.TrimEndingDirectorySeparator(Path.GetFullPath(root)));
        if (!directory.Exists)
        {
            throw new DirectoryNotFoundException($"There is no folder {root}.");
        }

        // Links on the way to the folder are valid too; ConfinedFiles compares whole paths.
        Root = LinkFreePath.Of(directory.FullName);
        _hasHidden = hasHidden;
    }

    /// <summary>The full path of the folder.</summary>
    public string Root { get; }

    /// <summary>Finds the item for the segments of a path. An empty last segment means the folder before it.</summary>
    public ServedItem Find(IReadOnlyList<string> segments)
    {
        bool isFolder = segments is [.., ""];
        int count = isFolder ? segments.Count - 1 : segments.Count;
        string path = Root;
        for (int i = 0; i < count; i++)
        {
            if (!IsShared(segments[i]))
            {
                return default;
            }

            path = Path.Join(path, segments[i]);
            ServedItemKind kind = KindOf(path);
            if (kind == ServedItemKind.Refused)
            {
                return default;
            }

            if (kind != ServedItemKind.Folder && (i + 1 < count || isFolder))
            {
                return new ServedItem(ServedItemKind.NoFolder, path);
            }

            if (kind != ServedItemKind.Folder)
            {
                return new ServedItem(kind, path);
            }
        }

        return new ServedItem(ServedItemKind.Folder, path);
    }

    /// <summary>Whether a name may be shared, if the file or folder exists.</summary>
    public bool IsShared(string name) => name.Length is > 0 and <= LongestName
        && name is not ("." or "..")
        && (_hasHidden || name[0] != '.')
        && !name.StartsWith(FolderWriteHandler.PartPrefix, StringComparison.Ordinal)
        && !name.AsSpan().ContainsAny(s_never)
        && !name.Any(char.IsControl)
        && !(OperatingSystem.IsWindows() && IsNoNameOnWindows(name));

    /// <summary>
    /// Whether a path is a device, a pipe or a socket, which PUT would replace. The attributes of .NET do not show it on Unix.
    /// </summary>
    public static bool IsSpecial(string path)
    {
        try
        {
            return FileStatus.Of(path).Kind == FileKind.Special;
        }
        catch (IOException)
        {
            return true;
        }
    }

    // Of the entry itself, not of a link's target.
    private static ServedItemKind KindOf(string path)
    {
        try
        {
            return HasSpecialAttributes(path) ? ServedItemKind.Refused : FileStatus.Of(path).Kind switch
            {
                FileKind.None => ServedItemKind.Missing,
                FileKind.Regular when HasExactName(path) => ServedItemKind.File,
                FileKind.Directory when HasExactName(path) => ServedItemKind.Folder,
                _ => ServedItemKind.Refused,
            };
        }
        catch (Exception exception) when (exception is FileNotFoundException or DirectoryNotFoundException)
        {
            return ServedItemKind.Missing;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return ServedItemKind.Refused;
        }
    }

    // Linux shows in the status what an entry is. Windows has reparse points that are no links, and devices, which only attributes show.
    private static bool HasSpecialAttributes(string path) => !OperatingSystem.IsLinux()
        && (File.GetAttributes(path) & (FileAttributes.ReparsePoint | FileAttributes.Device)) != 0;

    // On a case-insensitive file system, a second URI would lead to the same file, without its observers and entity-tags.
    private static bool HasExactName(string path) => OperatingSystem.IsLinux()
        || (path.AsSpan().IndexOfAny('*', '?') < 0
            && Directory.EnumerateFileSystemEntries(Path.GetDirectoryName(path)!, Path.GetFileName(path), s_exact).Any());

    private static bool IsNoNameOnWindows(string name) => name.AsSpan().ContainsAny(s_neverOnWindows)
        || name[^1] is '.' or ' '
        || s_devices.Contains(name.Split('.')[0].TrimEnd(), StringComparer.OrdinalIgnoreCase);
}
