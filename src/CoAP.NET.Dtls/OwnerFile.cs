using System.ComponentModel;
using System.Runtime.InteropServices;
using CoAP.NET.Dtls.Native;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Dtls;

/// <summary>
/// Files with secrets: only their owner may read and write them, also where there was one before with other rights, and a link at their
/// place is not followed, which whoever may write in that directory could have put there. On Windows the rights are those of the directory.
/// </summary>
internal static class OwnerFile
{
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    /// <summary>Opens a file to append to it, and makes it where there is none.</summary>
    /// <exception cref="IOException">It is a link, or cannot be opened.</exception>
    /// <exception cref="UnauthorizedAccessException">It belongs to somebody else, or may not be written.</exception>
    public static FileStream Append(string path)
    {
        ThrowIfLink(path);
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
            // The mode above holds for new files only.
            File.SetUnixFileMode(file.SafeFileHandle, OwnerOnly);
            return file;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Writes a file as a whole, instead of the one that is there: a reader finds the old one or the new one.</summary>
    /// <exception cref="IOException">It cannot be written.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be written.</exception>
    public static void Write(string path, ReadOnlySpan<byte> data)
    {
        // A new file follows no link, and giving it its name replaces a link, and not what that leads to.
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

    /// <summary>Throws where a file is a link.</summary>
    /// <exception cref="IOException">It is one.</exception>
    public static void ThrowIfLink(string path)
    {
        if (new FileInfo(path).LinkTarget is not null)
        {
            throw new IOException($"'{path}' is a link, which is not followed for a file with secrets. Name the file itself.");
        }
    }

    private static SafeFileHandle OpenOnLinux(string path)
    {
        // Of the flags that matter here only this one has another value on some processors.
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
