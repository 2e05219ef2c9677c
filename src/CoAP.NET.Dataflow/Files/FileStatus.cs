using System.Buffers.Binary;
using System.ComponentModel;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Files;

/// <summary>
/// The kind of a file and who may change it. .NET does not distinguish devices and pipes from files, and has neither owners nor hard links.
/// Linux reports all of it (statx). Other systems report links and directories, and know devices by their path.
/// </summary>
/// <param name="Kind">The kind of the entry.</param>
/// <param name="Owner">The ID of the user who owns it; 0 on systems other than Linux.</param>
/// <param name="Names">The number of its names (hard links); 1 on systems other than Linux.</param>
/// <param name="IsShared">Whether everybody may create entries in this directory, but not remove those of others, as in /tmp.</param>
/// <param name="Device">The device with the file; 0 on systems other than Linux.</param>
/// <param name="Number">Its number on this device; 0 on systems other than Linux.</param>
internal readonly partial record struct FileStatus(FileKind Kind, uint Owner, uint Names, bool IsShared, ulong Device, ulong Number)
{
    // Of stat(2) and statx(2), the same on all processors.
    private const int CurrentDirectory = -100;
    private const int NoFollow = 0x100;
    private const int EmptyPath = 0x1000;
    private const int BasicStatus = 0x7ff;
    private const int StatusLength = 256;
    private const int NoEntry = 2;

    // What sandboxes answer that do not know statx.
    private const int NotPermitted = 1;
    private const int NoSystemCall = 38;
    private const int NoDirectory = 20;
    private const int KindMask = 0xf000;
    private const int StickyForAll = 0x202;

    // The number of statx; 0 where it is not asked. By number, because glibc has a function for it since 2.28 and musl since 1.2.5 only.
    private static readonly nint s_statx = !OperatingSystem.IsLinux() ? 0 : RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 332,
        Architecture.Arm64 or Architecture.RiscV64 or Architecture.LoongArch64 => 291,
        Architecture.Arm or Architecture.Armv6 => 397,
        Architecture.X86 or Architecture.Ppc64le => 383,
        Architecture.S390x => 379,
        _ => 0,
    };

    /// <summary>Whether this user owns the file.</summary>
    public bool IsOwn => !OperatingSystem.IsLinux() || Owner == GetUser();

    /// <summary>Whether it is a regular file that only this user owns and that has one name: no other user has led there.</summary>
    public bool IsOwnFile => Kind == FileKind.Regular && IsOwn && Names == 1;

    /// <summary>Returns the status of the entry with a path: of a link itself, not of its target.</summary>
    /// <exception cref="IOException">The path is not accessible.</exception>
    public static FileStatus Of(string path) =>
        s_statx != 0 ? OnLinux(CurrentDirectory, path, NoFollow, path) : OfPortably(path);

    /// <summary>Returns the status of a file or directory: of the target if the path is a link.</summary>
    /// <exception cref="IOException">The path is not accessible.</exception>
    public static FileStatus OfTarget(string path) =>
        s_statx != 0 ? OnLinux(CurrentDirectory, path, 0, path)
            : OfPortably(new FileInfo(path).ResolveLinkTarget(returnFinalTarget: true)?.FullName ?? path);

    /// <summary>Returns the status of an open file.</summary>
    /// <exception cref="IOException">The system does not report it.</exception>
    public static FileStatus Of(SafeFileHandle file, string path) =>
        s_statx != 0 ? OnLinux(file.DangerousGetHandle(), "", EmptyPath, path) : OfPortably(path);

    /// <summary>
    /// Throws if a path is something that must not be replaced by a file: a device, whose replacement breaks other programs, a pipe or a
    /// socket.
    /// </summary>
    /// <exception cref="IOException">The path is a device, a pipe or a socket.</exception>
    public static void ThrowIfSpecial(string path)
    {
        if (Of(path).Kind == FileKind.Special)
        {
            throw new IOException($"'{path}' is a device, a pipe or a socket, and must not be replaced by a file. Name a file.");
        }
    }

    private static unsafe FileStatus OnLinux(nint directory, string path, nint flags, string shown)
    {
        Span<byte> status = stackalloc byte[StatusLength];
        fixed (byte* start = status)
        {
            if (SystemCall(s_statx, directory, path, flags, BasicStatus, start) == 0)
            {
                int mode = BinaryPrimitives.ReadUInt16LittleEndian(status[28..]);
                return new FileStatus(
                    (mode & KindMask) switch
                    {
                        0x8000 => FileKind.Regular,
                        0x4000 => FileKind.Directory,
                        0xa000 => FileKind.Link,
                        _ => FileKind.Special,
                    },
                    BinaryPrimitives.ReadUInt32LittleEndian(status[20..]), BinaryPrimitives.ReadUInt32LittleEndian(status[16..]),
                    (mode & StickyForAll) == StickyForAll,
                    BinaryPrimitives.ReadUInt64LittleEndian(status[136..]), BinaryPrimitives.ReadUInt64LittleEndian(status[32..]));
            }
        }

        int error = Marshal.GetLastPInvokeError();
        return error is NoEntry or NoDirectory ? default
            : error is NotPermitted or NoSystemCall ? OfPortably(shown)
            : throw new IOException($"'{shown}': {new Win32Exception(error).Message}.");
    }

    private static FileStatus OfPortably(string path)
    {
        FileInfo entry = new(path);
        FileKind kind = entry.LinkTarget is not null ? FileKind.Link
            : Directory.Exists(path) ? FileKind.Directory
            : IsDevice(Path.GetFullPath(path)) ? FileKind.Special
            : entry.Exists ? FileKind.Regular
            : FileKind.None;
        return new FileStatus(kind, 0, 1, IsShared: false, 0, 0);
    }

    private static bool IsDevice(string path) => OperatingSystem.IsWindows()
        ? path.StartsWith(@"\\.\", StringComparison.Ordinal)
        : path.StartsWith("/dev/", StringComparison.Ordinal);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static unsafe partial nint SystemCall(nint number, nint directory, string path, nint flags, nint mask, byte* status);

    [LibraryImport("libc", EntryPoint = "geteuid")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial uint GetUser();
}
