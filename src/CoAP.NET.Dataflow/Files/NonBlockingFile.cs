using System.ComponentModel;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Files;

/// <summary>
/// Opens files and directories for reading by open(2): a pipe does not wait for its writer, and a terminal does not become that of the
/// process.
/// </summary>
internal static partial class NonBlockingFile
{
    // Errors of open(2), the same on all systems.
    private const int NotPermitted = 1;
    private const int NotFound = 2;
    private const int Interrupted = 4;
    private const int AccessDenied = 13;
    private const int NotDirectory = 20;

    // O_NONBLOCK, O_CLOEXEC and O_NOCTTY; O_RDONLY is 0.
    private static readonly int s_flags =
        OperatingSystem.IsLinux() || OperatingSystem.IsAndroid() ? 0x800 | 0x80000 | 0x100
        : OperatingSystem.IsMacOS() || OperatingSystem.IsMacCatalyst() || OperatingSystem.IsIOS() ? 0x4 | 0x1000000 | 0x20000
        : 0;

    /// <summary>Whether the flags of this system are known.</summary>
    public static bool IsSupported => s_flags != 0;

    /// <summary>Opens what a path leads to.</summary>
    /// <exception cref="FileNotFoundException">Nothing has this path.</exception>
    /// <exception cref="UnauthorizedAccessException">The process has no right to read it.</exception>
    /// <exception cref="IOException">Another error, with its number. No message contains the path.</exception>
    public static SafeFileHandle Open(string path)
    {
        while (true)
        {
            SafeFileHandle file = new(Open(path, s_flags), ownsHandle: true);
            int error = Marshal.GetLastPInvokeError();
            if (!file.IsInvalid)
            {
                return file;
            }

            file.Dispose();
            if (error != Interrupted)
            {
                throw ToException(error);
            }
        }
    }

    /// <summary>Returns the exception for an error number of open(2).</summary>
    public static Exception ToException(int error) => error switch
    {
        NotFound or NotDirectory => new FileNotFoundException("There is no such file."),
        NotPermitted or AccessDenied => new UnauthorizedAccessException("The process has no right to read it. Give its user the right."),
        _ => new IOException($"The system does not open it: {new Win32Exception(error).Message}.", error),
    };

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Open(string path, int flags);
}
