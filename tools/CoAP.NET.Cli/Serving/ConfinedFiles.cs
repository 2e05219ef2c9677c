using System.Globalization;
using CoAP.NET.Files;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Cli.Serving;

/// <summary>
/// Opens files and folders by their path without a link on the way, also if somebody replaces a part of the path meanwhile. It compares the
/// path that the opened file has with the wanted one, which needs <c>/proc</c> of Linux. On other systems the check of
/// <see cref="ServedFolderPathMapper.Find"/>, just before, remains.
/// </summary>
internal static class ConfinedFiles
{
    /// <summary>Opens a file for reading.</summary>
    /// <param name="path">Its full path without links.</param>
    /// <returns>The file; null if there is none by this path any more, only a link, or no regular file.</returns>
    /// <exception cref="IOException">No descriptor is left.</exception>
    public static ServedFileStream? TryOpenFile(string path)
    {
        if (!OperatingSystem.IsLinux())
        {
            return new ServedFileStream(path);
        }

        SafeFileHandle? handle = TryOpen(path);
        ServedFileStream? file = null;
        try
        {
            file = handle is null ? null : new ServedFileStream(handle);
            return file is { CanSeek: true } ? file : null;
        }
        finally
        {
            if (file is not { CanSeek: true })
            {
                handle?.Dispose();
            }
        }
    }

    /// <summary>Holds a folder, so that its entries stay reachable by <see cref="EntryOf"/> whatever its path becomes.</summary>
    /// <param name="path">Its full path without links.</param>
    /// <returns>The folder to dispose; null if there is none by this path any more, or only a link.</returns>
    /// <exception cref="IOException">No descriptor is left.</exception>
    public static SafeFileHandle? TryOpenFolder(string path) => OperatingSystem.IsLinux() ? TryOpen(path) : new SafeFileHandle();

    /// <summary>A path to an entry of a held folder.</summary>
    /// <param name="folder">The result of <see cref="TryOpenFolder"/>.</param>
    /// <param name="path">The full path of the entry.</param>
    public static string EntryOf(SafeFileHandle folder, string path) =>
        folder.IsInvalid ? path : Path.Join(Link(folder), Path.GetFileName(path));

    private static SafeFileHandle? TryOpen(string path)
    {
        SafeFileHandle handle;
        try
        {
            handle = NonBlockingFile.Open(path);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException
            && !DescriptorShortage.IsCauseOf(exception))
        {
            return null;
        }

        if (PathOf(handle) == path)
        {
            return handle;
        }

        handle.Dispose();
        return null;
    }

    private static string? PathOf(SafeFileHandle handle) => new FileInfo(Link(handle)).LinkTarget;

    private static string Link(SafeFileHandle handle) =>
        string.Create(CultureInfo.InvariantCulture, $"/proc/self/fd/{handle.DangerousGetHandle()}");
}
