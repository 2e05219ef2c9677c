using System.ComponentModel;
using System.Runtime.InteropServices;

namespace CoAP.NET.Files;

/// <summary>Creates and replaces files atomically and durably, readable for their owner only.</summary>
internal static partial class DurableFile
{
    private const int Interrupted = 4;
    private const int Exists = 17;
    private const int NotSupported = 22;
    private const uint ReplaceExisting = 1;
    private const uint WriteThrough = 8;

    /// <summary>Creates a directory for its owner only, if it does not exist.</summary>
    public static void MakeDirectory(string path)
    {
        if (Directory.Exists(path))
        {
            return;
        }

        if (OperatingSystem.IsWindows())
        {
            Directory.CreateDirectory(path);
            return;
        }

        Directory.CreateDirectory(path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        if (Path.GetDirectoryName(path) is { } parent)
        {
            SyncDirectory(parent);
        }
    }

    /// <summary>
    /// Replaces a file: writes to another name and through to the disk, then renames it and syncs the directory. A crash at any point
    /// leaves the old file or the new one.
    /// </summary>
    /// <exception cref="IOException">The file is not writable, or is a device, a pipe or a socket.</exception>
    /// <exception cref="UnauthorizedAccessException">The process has no right to write it.</exception>
    public static void Write(string path, ReadOnlySpan<byte> data)
    {
        string made = path + ".new";
        FileStatus.ThrowIfSpecial(path);

        // A leftover of a crash. A new file follows no link.
        File.Delete(made);
        WriteNew(made, data);
        if (OperatingSystem.IsWindows())
        {
            // The result of File.Move may stay in memory.
            if (!MoveFileEx(made, path, ReplaceExisting | WriteThrough))
            {
                throw new IOException($"'{path}': {new Win32Exception(Marshal.GetLastPInvokeError()).Message}.");
            }

            return;
        }

        File.Move(made, path, overwrite: true);
        SyncDirectory(Path.GetDirectoryName(path)!);
    }

    /// <summary>
    /// Creates a file with its content: writes to another name and through to the disk, then gives it its name, and syncs the directory. A
    /// crash at any point leaves the whole file or none. An existing file is never replaced, also not by two processes at once.
    /// </summary>
    /// <returns>Whether this call created the file; false if it exists.</returns>
    /// <exception cref="IOException">The file is not writable.</exception>
    /// <exception cref="UnauthorizedAccessException">The process has no right to write it.</exception>
    public static bool TryCreate(string path, ReadOnlySpan<byte> data)
    {
        // Leftovers of crashes. Should one belong to a process that creates the file right now, that process fails and tries again.
        // Each process has a name of its own: none gives the name of the file to the half that another one still writes.
        string made = $"{path}.{Guid.NewGuid():N}.new";
        foreach (string left in Directory.EnumerateFiles(Path.GetDirectoryName(path)!, "*.new")
            .Where(name => name.Length == made.Length && name.StartsWith(path + ".", StringComparison.Ordinal)))
        {
            File.Delete(left);
        }

        WriteNew(made, data);
        bool isCreated = TryName(made, path);
        File.Delete(made);
        if (isCreated && !OperatingSystem.IsWindows())
        {
            SyncDirectory(Path.GetDirectoryName(path)!);
        }

        return isCreated;
    }

    private static void WriteNew(string path, ReadOnlySpan<byte> data)
    {
        FileStreamOptions options = new() { Mode = FileMode.CreateNew, Access = FileAccess.Write, BufferSize = 0 };
        if (!OperatingSystem.IsWindows())
        {
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        }

        using FileStream file = new(path, options);
        try
        {
            file.Write(data);
            file.Flush(flushToDisk: true);
        }
        catch
        {
            // On a full disk, an incomplete file only takes space.
            File.Delete(path);
            throw;
        }
    }

    private static bool TryName(string made, string path)
    {
        if (OperatingSystem.IsWindows())
        {
            return MoveFileEx(made, path, WriteThrough) || (File.Exists(path)
                ? false
                : throw new IOException($"'{path}': {new Win32Exception(Marshal.GetLastPInvokeError()).Message}."));
        }

        // File.Move first asks whether the name is free, and replaces a file that appears after that.
        if (Link(made, path) == 0)
        {
            return true;
        }

        if (Marshal.GetLastPInvokeError() == Exists)
        {
            return false;
        }

        // A file system without links.
        File.Move(made, path, overwrite: false);
        return true;
    }

    // The name of a file is part of its directory, which needs a sync of its own.
    private static void SyncDirectory(string path)
    {
        int descriptor;
        while ((descriptor = OpenFile(path, 0)) < 0)
        {
            ThrowUnless(Marshal.GetLastPInvokeError(), Interrupted, path);
        }

        try
        {
            while (Sync(descriptor) < 0)
            {
                int error = Marshal.GetLastPInvokeError();
                if (error == NotSupported)
                {
                    // File systems without it write directories in order, such as network file systems.
                    return;
                }

                ThrowUnless(error, Interrupted, path);
            }
        }
        finally
        {
            _ = CloseFile(descriptor);
        }
    }

    private static void ThrowUnless(int error, int expected, string path)
    {
        if (error != expected)
        {
            throw new IOException($"The directory '{path}' cannot be written to the disk: {new Win32Exception(error).Message}.");
        }
    }

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int OpenFile(string path, int flags);

    [LibraryImport("libc", EntryPoint = "link", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Link(string from, string to);

    [LibraryImport("libc", EntryPoint = "fsync", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Sync(int descriptor);

    [LibraryImport("libc", EntryPoint = "close")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int CloseFile(int descriptor);

    [LibraryImport("kernel32", EntryPoint = "MoveFileExW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool MoveFileEx(string from, string to, uint flags);
}
