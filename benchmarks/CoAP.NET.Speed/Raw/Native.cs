namespace CoAP.NET.Speed.Raw;

/// <summary>The calls of Linux that the floor and the load need beside those of <see cref="LibC"/>.</summary>
internal static unsafe partial class Native
{
    public const int IPv4 = 2;
    public const int Datagram = 2;
    public const int Stream = 1;
    public const int NonBlocking = 0x800;
    public const int CloseOnExec = 0x80000;

    public const int LevelIP = 0;
    public const int LevelSocket = 1;
    public const int LevelTcp = 6;
    public const int ReuseAddress = 2;
    public const int NoDelay = 1;
    public const int PacketInfo = 8;
    public const int BindAddressNoPort = 24;

    public const int DontWait = 0x40;
    public const int WaitForOne = 0x10000;
    public const int NoSignal = 0x4000;

    public const int AddressSize = 16;

    private const int ReceiveBuffer = 8;
    private const int ReceiveBufferForce = 33;
    private const int ReceiveTimeout = 20;
    private const int TimerSlack = 29;

    /// <summary>Opens a socket and binds it.</summary>
    /// <param name="type"><see cref="Datagram"/> or <see cref="Stream"/>, with flags.</param>
    /// <param name="local">Where to; port 0 for any.</param>
    /// <param name="option">An option of the level <see cref="LevelIP"/> that is switched on before; 0 for none.</param>
    /// <returns>Its descriptor.</returns>
    public static int Open(int type, IPEndPoint local, int option = 0)
    {
        int socket = LibC.Check(Socket(IPv4, type | CloseOnExec, 0));
        if (option != 0)
        {
            Set(socket, LevelIP, option, 1);
        }

        byte* address = stackalloc byte[AddressSize];
        Write(address, local.Address, local.Port);
        LibC.Check(Bind(socket, address, AddressSize));
        return socket;
    }

    /// <summary>The port that a socket is bound to.</summary>
    public static int PortOf(int socket)
    {
        byte* address = stackalloc byte[AddressSize];
        uint length = AddressSize;
        LibC.Check(GetName(socket, address, &length));
        return (address[2] << 8) | address[3];
    }

    public static void Set(int socket, int level, int name, int value) => LibC.Check(SetOption(socket, level, name, &value, sizeof(int)));

    /// <summary>Asks for room for so much that came and was not read yet; the system may grant less.</summary>
    public static void AskForBuffer(int socket, int bytes)
    {
        if (SetOption(socket, LevelSocket, ReceiveBufferForce, &bytes, sizeof(int)) < 0)
        {
            Set(socket, LevelSocket, ReceiveBuffer, bytes);
        }
    }

    /// <summary>The room that the system granted.</summary>
    public static int BufferOf(int socket)
    {
        int value = 0;
        uint length = sizeof(int);
        LibC.Check(GetOption(socket, LevelSocket, ReceiveBuffer, &value, &length));
        return value;
    }

    /// <summary>Has receiving end after a time without anything.</summary>
    public static void SetReceiveTimeout(int socket, TimeSpan time)
    {
        nint* value = stackalloc nint[2];
        (value[0], value[1]) = ((nint)(long)time.TotalSeconds, (nint)(long)time.TotalMicroseconds % 1_000_000);
        LibC.Check(SetOption(socket, LevelSocket, ReceiveTimeout, (int*)value, 2 * sizeof(nint)));
    }

    /// <summary>Has the waits of this thread end when they should, and not up to 50 µs later.</summary>
    public static void WaitExactly() => _ = Control(TimerSlack, 1, 0, 0, 0);

    /// <summary>Fills a <c>struct sockaddr_in</c>.</summary>
    public static void Write(byte* to, IPAddress address, int port)
    {
        new Span<byte>(to, AddressSize).Clear();
        *(ushort*)to = IPv4;
        to[2] = (byte)(port >> 8);
        to[3] = (byte)port;
        address.TryWriteBytes(new Span<byte>(to + 4, 4), out _);
    }

    [LibraryImport("libc", EntryPoint = "socket", SetLastError = true)]
    public static partial int Socket(int family, int type, int protocol);

    [LibraryImport("libc", EntryPoint = "bind", SetLastError = true)]
    public static partial int Bind(int socket, byte* address, int length);

    [LibraryImport("libc", EntryPoint = "listen", SetLastError = true)]
    public static partial int Listen(int socket, int backlog);

    [LibraryImport("libc", EntryPoint = "connect", SetLastError = true)]
    public static partial int Connect(int socket, byte* address, int length);

    [LibraryImport("libc", EntryPoint = "accept4", SetLastError = true)]
    public static partial int Accept(int socket, byte* address, uint* length, int flags);

    [LibraryImport("libc", EntryPoint = "send", SetLastError = true)]
    public static partial nint Send(int socket, byte* bytes, nint length, int flags);

    [LibraryImport("libc", EntryPoint = "recv", SetLastError = true)]
    public static partial nint Receive(int socket, byte* bytes, nint length, int flags);

    [LibraryImport("libc", EntryPoint = "recvmmsg", SetLastError = true)]
    public static partial int ReceiveMany(int socket, BatchEntry* entries, uint count, int flags, void* timeout);

    [LibraryImport("libc", EntryPoint = "sendmmsg", SetLastError = true)]
    public static partial int SendMany(int socket, BatchEntry* entries, uint count, int flags);

    /// <summary>Waits for what is to be read on sockets, to the nanosecond.</summary>
    [LibraryImport("libc", EntryPoint = "ppoll", SetLastError = true)]
    public static partial int Poll(PollEntry* entries, nuint count, nint* time, void* signals);

    [LibraryImport("libc", EntryPoint = "getsockname", SetLastError = true)]
    private static partial int GetName(int socket, byte* address, uint* length);

    [LibraryImport("libc", EntryPoint = "setsockopt", SetLastError = true)]
    private static partial int SetOption(int socket, int level, int name, int* value, int length);

    [LibraryImport("libc", EntryPoint = "getsockopt", SetLastError = true)]
    private static partial int GetOption(int socket, int level, int name, int* value, uint* length);

    [LibraryImport("libc", EntryPoint = "prctl", SetLastError = true)]
    private static partial int Control(int option, nuint first, nuint second, nuint third, nuint fourth);
}

/// <summary><c>struct pollfd</c></summary>
[StructLayout(LayoutKind.Sequential)]
internal struct PollEntry
{
    public const short Readable = 1;

    public int Descriptor;
    public short Wanted;
    public short Found;
}

/// <summary><c>struct iovec</c></summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct BatchPiece
{
    public byte* Bytes;
    public nint Length;
}

/// <summary><c>struct mmsghdr</c></summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct BatchEntry
{
    public byte* Name;
    public nuint NameLength;
    public BatchPiece* Pieces;
    public nint PieceCount;
    public byte* Control;
    public nint ControlLength;
    public nint Flags;
    public nuint Length;
}
