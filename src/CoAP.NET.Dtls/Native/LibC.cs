using System.Runtime.InteropServices;

namespace CoAP.NET.Dtls.Native;

/// <summary>The functions of the Linux C library in use.</summary>
internal static partial class LibC
{
    public const int WriteOnly = 0x1;
    public const int Create = 0x40;
    public const int Append = 0x400;
    public const int NonBlocking = 0x800;
    public const int CloseOnExec = 0x80000;
    public const int AccessDenied = 13;

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Open(string path, int flags, int mode);
}
