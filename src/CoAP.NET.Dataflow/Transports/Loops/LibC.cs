using System.Runtime.InteropServices;
using CoAP.NET.Files;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Transports.Loops;

/// <summary>The calls of the C library that <see cref="System.Net.Sockets.Socket"/> does not have. Linux, 64 bits.</summary>
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

    public const int DontWait = 0x40;
    public const int NoSignal = 0x4000;
    public const int Peek = 2;
    public const int Truncated = 0x20;
    public const int ErrorQueue = 0x2000;

    public const int ENOENT = 2;
    public const int EINTR = 4;
    public const int EBADF = 9;
    public const int EAGAIN = 11;
    public const int ENOMEM = 12;
    public const int EINVAL = 22;
    public const int EMFILE = DescriptorShortage.AllOfTheProcess;
    public const int ENOTSOCK = 88;
    public const int ENOBUFS = 105;
    public const int EINPROGRESS = 115;

    public const int SolIP = 0;
    public const int SolSocket = 1;
    public const int SolIPv6 = 41;

    public const int SoReusePort = 15;
    public const int SoReceiveBuffer = 8;
    public const int SoReceiveBufferForce = 33;
    public const int SoReceiveQueueOverflow = 40;
    public const int IPTimeToLive = 2;
    public const int IPPacketInfo = 8;
    public const int IPReceiveErrors = 11;
    public const int IPMulticastAll = 49;
    public const int IPv6ReceiveErrors = 25;
    public const int IPv6MulticastAll = 29;
    public const int IPv6ReceivePacketInfo = 49;
    public const int IPv6PacketInfo = 50;
    public const int IPv6HopLimit = 52;

    public const uint EpollIn = 1;
    public const uint EpollOut = 4;
    public const uint EpollError = 8;
    public const uint EpollHangUp = 0x10;
    public const uint EpollReadHangUp = 0x2000;
    public const uint EpollEdge = 0x8000_0000;
    public const int EpollAdd = 1;
    public const int EpollRemove = 2;
    public const int EpollModify = 3;
    public const short PollOut = 4;

    private const int CloseOnExec = 0x80000;
    private const int NonBlocking = 0x800;

    // SYS_sendmmsg.
    private static readonly nint s_sendMany = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 269 : 307;

    public static SafeFileHandle CreateEpoll() => new(epoll_create1(CloseOnExec), ownsHandle: true);

    public static SafeFileHandle CreateEvent() => new(eventfd(0, CloseOnExec | NonBlocking), ownsHandle: true);

    [LibraryImport("libc", EntryPoint = "recvmmsg", SetLastError = true)]
    public static partial int ReceiveMany(int socket, MmsgHeader* messages, uint count, int flags, void* timeout);

    /// <summary>Sends several messages with one system call; the sendmmsg of musl makes one for each message.</summary>
    public static int SendMany(int socket, MmsgHeader* messages, uint count, int flags) =>
        (int)syscall(s_sendMany, socket, (nint)messages, (nint)count, flags);

    [LibraryImport("libc", EntryPoint = "sendmsg", SetLastError = true)]
    public static partial nint Send(SafeHandle socket, SocketMessageHeader* message, int flags);

    [LibraryImport("libc", EntryPoint = "recvmsg", SetLastError = true)]
    public static partial nint Receive(int socket, SocketMessageHeader* message, int flags);

    [LibraryImport("libc", EntryPoint = "epoll_ctl", SetLastError = true)]
    public static partial int ControlEpoll(SafeHandle epoll, int operation, SafeHandle file, byte* epollEvent);

    [LibraryImport("libc", EntryPoint = "epoll_wait", SetLastError = true)]
    public static partial int WaitForEpoll(SafeHandle epoll, byte* events, int capacity, int milliseconds);

    [LibraryImport("libc", EntryPoint = "read", SetLastError = true)]
    public static partial nint Read(SafeHandle file, void* buffer, nuint count);

    [LibraryImport("libc", EntryPoint = "write", SetLastError = true)]
    public static partial nint Write(SafeHandle file, void* buffer, nuint count);

    [LibraryImport("libc", EntryPoint = "poll", SetLastError = true)]
    public static partial int Poll(PollEntry* entries, nuint count, int milliseconds);

    [LibraryImport("libc", SetLastError = true)]
    private static partial nint syscall(nint number, nint socket, nint messages, nint count, nint flags);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int epoll_create1(int flags);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int eventfd(uint value, int flags);

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
