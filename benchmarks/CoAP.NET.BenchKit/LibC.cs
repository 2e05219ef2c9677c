using System.ComponentModel;
using System.Runtime.InteropServices;

namespace CoAP.NET.Bench;

/// <summary>
/// The calls of Linux that a load loop makes a hundred thousand times a second, without what .NET's sockets put around them.
/// </summary>
internal static unsafe partial class LibC
{
    public const int Interrupted = 4;
    public const int Again = 11;
    public const int InProgress = 115;
    public const int NotConnected = 107;

    public const int CtlAdd = 1;
    public const int CtlMod = 3;
    public const uint EventIn = 1;
    public const uint EventOut = 4;

    private const int IPv4 = 2;
    private const int Stream = 1;
    private const int NonBlocking = 0x800;
    private const int CloseOnExec = 0x80000;
    private const int NoSignal = 0x4000;
    private const int LevelSocket = 1;
    private const int LevelIP = 0;
    private const int LevelTcp = 6;
    private const int ReceiveBuffer = 8;
    private const int BindAddressNoPort = 24;
    private const int NoDelay = 1;
    private const int AddressSize = 16;

    public static int LastError => Marshal.GetLastPInvokeError();

    /// <summary>Opens a TCP socket and begins to connect it, without waiting.</summary>
    /// <param name="source">The address to connect from.</param>
    /// <param name="server">The address to connect to, IPv4.</param>
    /// <param name="receiveBuffer">The size of its receive buffer; 0 for the system's.</param>
    /// <returns>Its descriptor.</returns>
    public static int Connect(System.Net.IPAddress source, System.Net.IPEndPoint server, int receiveBuffer)
    {
        int socket = Check(Socket(IPv4, Stream | NonBlocking | CloseOnExec, 0));
        int one = 1;
        if (receiveBuffer > 0)
        {
            Check(SetOption(socket, LevelSocket, ReceiveBuffer, &receiveBuffer, sizeof(int)));
        }

        Check(SetOption(socket, LevelTcp, NoDelay, &one, sizeof(int)));

        // The port is chosen when it is known where to: then each pair of addresses has all ports.
        Check(SetOption(socket, LevelIP, BindAddressNoPort, &one, sizeof(int)));
        byte* address = stackalloc byte[AddressSize];
        Write(new Span<byte>(address, AddressSize), source, 0);
        Check(Bind(socket, address, AddressSize));
        Write(new Span<byte>(address, AddressSize), server.Address, server.Port);
        if (Connect(socket, address, AddressSize) < 0 && LastError != InProgress)
        {
            int error = LastError;
            _ = Close(socket);
            throw new Win32Exception(error);
        }

        return socket;
    }

    /// <summary>Sends; how many bytes were taken, or below 0 with <see cref="LastError"/>.</summary>
    public static nint Send(int socket, ReadOnlySpan<byte> bytes)
    {
        fixed (byte* first = bytes)
        {
            return Send(socket, first, bytes.Length, NoSignal);
        }
    }

    /// <summary>Receives; how many bytes, 0 at the end, or below 0 with <see cref="LastError"/>.</summary>
    public static nint Receive(int socket, Span<byte> bytes)
    {
        fixed (byte* first = bytes)
        {
            return Receive(socket, first, bytes.Length, 0);
        }
    }

    public static int Check(int result) => result >= 0 ? result : throw new Win32Exception(LastError);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    public static partial int Close(int descriptor);

    [LibraryImport("libc", EntryPoint = "epoll_create1", SetLastError = true)]
    public static partial int EpollCreate(int flags);

    [LibraryImport("libc", EntryPoint = "epoll_ctl", SetLastError = true)]
    public static partial int EpollControl(int epoll, int operation, int descriptor, byte* data);

    [LibraryImport("libc", EntryPoint = "epoll_wait", SetLastError = true)]
    public static partial int EpollWait(int epoll, byte* events, int capacity, int milliseconds);

    // struct sockaddr_in
    private static void Write(Span<byte> to, System.Net.IPAddress address, int port)
    {
        to.Clear();
        to[0] = IPv4;
        to[2] = (byte)(port >> 8);
        to[3] = (byte)port;
        address.TryWriteBytes(to[4..], out _);
    }

    [LibraryImport("libc", EntryPoint = "socket", SetLastError = true)]
    private static partial int Socket(int family, int type, int protocol);

    [LibraryImport("libc", EntryPoint = "bind", SetLastError = true)]
    private static partial int Bind(int socket, byte* address, int length);

    [LibraryImport("libc", EntryPoint = "connect", SetLastError = true)]
    private static partial int Connect(int socket, byte* address, int length);

    [LibraryImport("libc", EntryPoint = "setsockopt", SetLastError = true)]
    private static partial int SetOption(int socket, int level, int name, int* value, int length);

    [LibraryImport("libc", EntryPoint = "send", SetLastError = true)]
    private static partial nint Send(int socket, byte* bytes, nint length, int flags);

    [LibraryImport("libc", EntryPoint = "recv", SetLastError = true)]
    private static partial nint Receive(int socket, byte* bytes, nint length, int flags);
}
