using System.Runtime.InteropServices;

namespace CoAP.NET.Transports;

/// <summary>The calls for non-blocking TCP sockets.</summary>
internal static unsafe partial class LibC
{
    public const int FamilyIPv4 = 2;
    public const int FamilyIPv6 = 10;
    public const int Stream = 1;
    public const int SolTcp = 6;
    public const int SoReuseAddress = 2;
    public const int SoError = 4;
    public const int TcpNoDelay = 1;
    public const int IPv6Only = 26;
    public const int IPBindAddressNoPort = 24;
    public const int ShutdownSend = 1;
    public const int ShutdownBoth = 2;

    private const int OpenFiles = 7;

    /// <summary>For new sockets: non-blocking, and not inherited by child processes.</summary>
    public const int NewSocketFlags = NonBlocking | CloseOnExec;

    [LibraryImport("libc", EntryPoint = "socket", SetLastError = true)]
    public static partial int OpenSocket(int family, int type, int protocol);

    [LibraryImport("libc", EntryPoint = "bind", SetLastError = true)]
    public static partial int Bind(int socket, byte* address, uint length);

    [LibraryImport("libc", EntryPoint = "listen", SetLastError = true)]
    public static partial int Listen(int socket, int backlog);

    [LibraryImport("libc", EntryPoint = "accept4", SetLastError = true)]
    public static partial int Accept(int socket, byte* address, uint* length, int flags);

    [LibraryImport("libc", EntryPoint = "connect", SetLastError = true)]
    public static partial int Connect(int socket, byte* address, uint length);

    [LibraryImport("libc", EntryPoint = "getsockname", SetLastError = true)]
    public static partial int GetName(int socket, byte* address, uint* length);

    [LibraryImport("libc", EntryPoint = "getsockopt", SetLastError = true)]
    public static partial int GetOption(int socket, int level, int name, int* value, uint* length);

    [LibraryImport("libc", EntryPoint = "setsockopt", SetLastError = true)]
    public static partial int SetOption(int socket, int level, int name, int* value, uint length);

    /// <summary>Receives from a stream.</summary>
    /// <returns>The number of bytes; 0 at the end; minus the error.</returns>
    public static nint Receive(int socket, byte* buffer, nuint length, int flags)
    {
        nint count = recv(socket, buffer, length, flags);
        return count >= 0 ? count : -Marshal.GetLastSystemError();
    }

    /// <summary>Sends on a stream.</summary>
    /// <returns>The number of accepted bytes; minus the error.</returns>
    public static nint Send(int socket, byte* buffer, nuint length, int flags)
    {
        nint count = send(socket, buffer, length, flags);
        return count >= 0 ? count : -Marshal.GetLastSystemError();
    }

    [LibraryImport("libc", EntryPoint = "shutdown", SetLastError = true)]
    public static partial int Shutdown(int socket, int how);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    public static partial int CloseDescriptor(int descriptor);

    /// <summary>Gets the maximum number of descriptors of the process.</summary>
    public static bool TryGetFileLimit(out ulong limit)
    {
        ulong* limits = stackalloc ulong[2];
        bool isKnown = getrlimit(OpenFiles, limits) == 0;
        limit = limits[0];
        return isKnown;
    }

    // Called for every read. The error is fetched only after a failure; the generated code for SetLastError fetches it after each call.
    [LibraryImport("libc")]
    private static partial nint recv(int socket, byte* buffer, nuint length, int flags);

    [LibraryImport("libc")]
    private static partial nint send(int socket, byte* buffer, nuint length, int flags);

    [LibraryImport("libc")]
    private static partial int getrlimit(int resource, ulong* limits);
}
