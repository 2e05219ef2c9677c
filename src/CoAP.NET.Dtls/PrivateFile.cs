using System.ComponentModel;
using System.Runtime.InteropServices;
using CoAP.NET.Dtls.Native;
using CoAP.NET.Files;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Dtls;

/// <summary>
/// Opens files with secrets: only their owner may read and write them, even if the file existed with other rights. It does not follow a
/// link, which any user with write access to the directory could have created. On Windows the rights are those of the directory.
/// </summary>
internal static class PrivateFile
{
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    /// <summary>Opens a file to append to it, and creates it if it does not exist.</summary>
    /// <exception cref="IOException">
    /// The file is a link, a device, a pipe or a socket, belongs to another user, has a second name, or does not open.
    /// </exception>
    /// <exception cref="UnauthorizedAccessException">The file is not writable.</exception>
    public static FileStream Append(string path)
    {
        ThrowIfLink(path);
        FileStatus.ThrowIfSpecial(path);
        if (OperatingSystem.IsWindows())
        {
            return new FileStream(path,
                new FileStreamOptions { Mode = FileMode.Append, Access = FileAccess.Write, Share = FileShare.ReadWrite });
        }

        FileStream file = OperatingSystem.IsLinux()
            ? new FileStream(OpenOnLinux(path), FileAccess.Write)
            : new FileStream(path,
                new FileStreamOptions
                {
                    Mode = FileMode.Append,
                    Access = FileAccess.Write,
                    Share = FileShare.ReadWrite,
                    UnixCreateMode = OwnerOnly
                });
        try
        {
            // Root may open and change everything: a device would then be for root only, and another user would keep his file open.
            if (!FileStatus.Of(file.SafeFileHandle, path).IsOwnFile)
            {
                throw new IOException(
                    $"'{path}' belongs to another user, has a second name or is not a regular file. Remove it, or name another file.");
            }

            // The mode above applies to new files only.
            File.SetUnixFileMode(file.SafeFileHandle, OwnerOnly);
            return file;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Replaces a file atomically: a reader finds the old one or the new one.</summary>
    /// <exception cref="IOException">The file is not writable, or is a device, a pipe or a socket.</exception>
    /// <exception cref="UnauthorizedAccessException">The process has no right to write it.</exception>
    public static void Write(string path, ReadOnlySpan<byte> data)
    {
        // A new file follows no link, and the rename replaces a link itself, not its target.
        FileStatus.ThrowIfSpecial(path);
        string made = $"{path}.{Guid.NewGuid():N}";
        FileStreamOptions options = new() { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        if (!OperatingSystem.IsWindows())
        {
            options.UnixCreateMode = OwnerOnly;
        }

        try
        {
            using (FileStream file = new(made, options))
            {
                file.Write(data);
                file.Flush(flushToDisk: true);
            }

            File.Move(made, path, overwrite: true);
        }
        catch
        {
            File.Delete(made);
            throw;
        }
    }

    /// <summary>Throws if a file is a link.</summary>
    /// <exception cref="IOException">The file is a link.</exception>
    public static void ThrowIfLink(string path)
    {
        if (new FileInfo(path).LinkTarget is not null)
        {
            throw new IOException($"'{path}' is a link, and files with secrets must not be links. Name the file itself.");
        }
    }

    private static SafeFileHandle OpenOnLinux(string path)
    {
        // Only this flag of those in use here has another value on some processors.
        int noFollow = RuntimeInformation.ProcessArchitecture is Architecture.Arm or Architecture.Armv6 or Architecture.Arm64
            or Architecture.Ppc64le ? 0x8000 : 0x20000;
        int descriptor = LibC.Open(path, LibC.WriteOnly | LibC.Create | LibC.Append | LibC.NonBlocking | LibC.CloseOnExec | noFollow,
            (int)OwnerOnly);
        if (descriptor >= 0)
        {
            return new SafeFileHandle(descriptor, ownsHandle: true);
        }

        Win32Exception error = new(Marshal.GetLastPInvokeError());
        throw error.NativeErrorCode == LibC.AccessDenied
            ? new UnauthorizedAccessException($"'{path}': {error.Message}.", error)
            : new IOException($"'{path}': {error.Message}.", error);
    }
}
