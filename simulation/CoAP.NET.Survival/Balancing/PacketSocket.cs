using System.Buffers.Binary;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace CoAP.NET.Survival.Balancing;

/// <summary>
/// A UDP socket of Linux that says to which of its addresses a datagram came, and sends from any of them: so one socket stands for
/// thousands of clients. Addresses are IPv4, and a number with their port: <c>address &lt;&lt; 16 | port</c>.
/// </summary>
internal sealed unsafe partial class PacketSocket : IDisposable
{
    private const int AddressSize = 16;
    private const int ControlSize = 64;
    private const int InfoLength = 28;
    private const int LevelIP = 0;
    private const int PacketInfo = 8;
    private const int DontWait = 0x40;
    private const int BufferBytes = 4 << 20;

    private readonly Socket _socket;

    /// <summary>Opens one.</summary>
    /// <param name="address">Where; any address for all of the machine.</param>
    public PacketSocket(IPAddress address)
    {
        _socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
        {
            ReceiveBufferSize = BufferBytes,
            SendBufferSize = BufferBytes,
        };
        _socket.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.PacketInformation, true);
        _socket.Bind(new IPEndPoint(address, 0));
        Port = ((IPEndPoint)_socket.LocalEndPoint!).Port;
    }

    public int Port { get; }

    public int Descriptor => (int)_socket.Handle;

    /// <summary>An address and port as a number.</summary>
    public static ulong NumberOf(IPEndPoint endpoint) => (AddressOf(endpoint.Address) << 16) | (uint)endpoint.Port;

    /// <summary>An address as a number.</summary>
    public static ulong AddressOf(IPAddress address) => BinaryPrimitives.ReadUInt32BigEndian(address.GetAddressBytes());

    /// <summary>Takes a datagram, without waiting.</summary>
    /// <param name="buffer">Gets it.</param>
    /// <param name="from">Who sent it.</param>
    /// <param name="to">To which address, without a port.</param>
    /// <returns>How long it is; below 0 when there is none.</returns>
    public int Receive(Span<byte> buffer, out ulong from, out ulong to)
    {
        byte* name = stackalloc byte[AddressSize];
        byte* control = stackalloc byte[ControlSize];
        fixed (byte* first = buffer)
        {
            Vector vector = new() { Base = first, Length = (nuint)buffer.Length };
            Header header = new()
            {
                Name = name, NameLength = AddressSize, Vectors = &vector, VectorCount = 1, Control = control, ControlLength = ControlSize,
            };
            int length = (int)ReceiveMessage(Descriptor, &header, DontWait);
            from = ((ulong)BinaryPrimitives.ReadUInt32BigEndian(new ReadOnlySpan<byte>(name + 4, 4)) << 16)
                | BinaryPrimitives.ReadUInt16BigEndian(new ReadOnlySpan<byte>(name + 2, 2));

            // struct cmsghdr (16 bytes), then struct in_pktinfo: interface, local address, address in the header.
            to = length >= 0 && header.ControlLength >= InfoLength
                ? BinaryPrimitives.ReadUInt32BigEndian(new ReadOnlySpan<byte>(control + 24, 4))
                : 0;
            return length;
        }
    }

    /// <summary>Sends a datagram; one that does not fit in the buffer of the system is lost, as in any network.</summary>
    /// <param name="datagram">The datagram.</param>
    /// <param name="to">Where to.</param>
    /// <param name="from">From which address; 0 for that of the socket.</param>
    public void Send(ReadOnlySpan<byte> datagram, ulong to, ulong from)
    {
        byte* name = stackalloc byte[AddressSize];
        byte* control = stackalloc byte[ControlSize];
        Span<byte> address = new(name, AddressSize);
        address.Clear();
        address[0] = (byte)AddressFamily.InterNetwork;
        BinaryPrimitives.WriteUInt16BigEndian(address[2..], (ushort)to);
        BinaryPrimitives.WriteUInt32BigEndian(address[4..], (uint)(to >> 16));
        fixed (byte* first = datagram)
        {
            Vector vector = new() { Base = first, Length = (nuint)datagram.Length };
            Header header = new() { Name = name, NameLength = AddressSize, Vectors = &vector, VectorCount = 1 };
            if (from != 0)
            {
                Span<byte> info = new(control, ControlSize);
                info.Clear();
                *(nuint*)control = InfoLength;
                *(int*)(control + 8) = LevelIP;
                *(int*)(control + 12) = PacketInfo;
                BinaryPrimitives.WriteUInt32BigEndian(info[20..], (uint)from);
                header.Control = control;
                header.ControlLength = 32;
            }

            _ = SendMessage(Descriptor, &header, DontWait);
        }
    }

    public void Dispose() => _socket.Dispose();

    [LibraryImport("libc", EntryPoint = "recvmsg", SetLastError = true)]
    private static partial nint ReceiveMessage(int socket, Header* header, int flags);

    [LibraryImport("libc", EntryPoint = "sendmsg", SetLastError = true)]
    private static partial nint SendMessage(int socket, Header* header, int flags);

    // struct iovec
    [StructLayout(LayoutKind.Sequential)]
    private struct Vector
    {
        public byte* Base;
        public nuint Length;
    }

    // struct msghdr
    [StructLayout(LayoutKind.Sequential)]
    private struct Header
    {
        public byte* Name;
        public int NameLength;
        public Vector* Vectors;
        public nuint VectorCount;
        public byte* Control;
        public nuint ControlLength;
        public int Flags;
    }
}
