using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using CoAP.NET.Transports.Loops;

namespace CoAP.NET.Transports.Udp;

/// <summary>
/// The slots that one recvmmsg fills. Each has a datagram that is lent to the pipeline. Usually the datagram is returned before
/// the next call, and the slot is filled again without any shared pool. Use it only on the thread that runs the receive loop.
/// </summary>
internal sealed unsafe class ReceiveBatch
{
    public const int Capacity = 64;
    private const int NameSize = 32;

    private readonly CoapDatagramPool _pool;
    private readonly CoapDatagram[] _datagrams = new CoapDatagram[Capacity];
    private readonly PinnedArray<MmsgHeader> _messages = new(Capacity);
    private readonly PinnedArray<IoVector> _vectors = new(Capacity);
    private readonly PinnedArray<byte> _names = new(Capacity * NameSize);
    private readonly PinnedArray<byte> _controls = new(Capacity * ControlMessages.ReceiveSize);
    private LinuxUdpSocket? _socket;
    private int _used = Capacity;
    private int _count;
    private int _next;
    private int _lent = -1;

    public ReceiveBatch(int bufferSize)
    {
        _pool = new CoapDatagramPool(bufferSize, pinned: true);
        for (int i = 0; i < Capacity; i++)
        {
            Fill(i);
            ref SocketMessageHeader header = ref _messages.Address[i].Header;
            header.Name = _names.Address + (i * NameSize);
            header.Vectors = _vectors.Address + i;
            header.VectorCount = 1;
            header.Control = _controls.Address + (i * ControlMessages.ReceiveSize);
        }
    }

    public int BufferSize => _pool.BufferSize;

    public LinuxUdpSocket? Socket => _socket;

    /// <summary>Receives without waiting.</summary>
    /// <returns>The number of datagrams; negative for an error.</returns>
    public int Receive(LinuxUdpSocket socket)
    {
        for (int i = 0; i < _used; i++)
        {
            ref SocketMessageHeader header = ref _messages.Address[i].Header;
            header.NameLength = NameSize;
            header.ControlLength = ControlMessages.ReceiveSize;
        }

        int count = LibC.ReceiveMany(socket.Descriptor, _messages.Address, Capacity, LibC.DontWait, null);
        _socket = socket;
        _used = _count = Math.Max(count, 0);
        _next = 0;
        for (int i = 0; i < count; i++)
        {
            Describe(i);
        }

        return count;
    }

    /// <summary>The remaining datagrams.</summary>
    public ReadOnlySpan<CoapDatagram> Waiting => _datagrams.AsSpan(_next, _count - _next);

    private void Describe(int i)
    {
        LinuxUdpSocket socket = _socket!;
        ref MmsgHeader message = ref _messages.Address[i];
        CoapDatagram datagram = _datagrams[i];
        datagram.Length = (int)message.Length;
        datagram.IsTruncated = (message.Header.Flags & LibC.Truncated) != 0;
        datagram.Remote = SockaddrConverter.Read(new ReadOnlySpan<byte>(message.Header.Name, SockaddrConverter.IPv6Size), socket.IsIPv6);
        datagram.Local = message.Header.ControlLength == 0 ? socket.Local : ReadControl(socket, message.Header);
        datagram.Transport = socket.Engine.Transport;
        datagram.TransportTag = socket.Tag;
        datagram.Channel = null;
        datagram.Expected = null;
    }

    /// <summary>Takes the next datagram; the caller passes it to the pipeline, then calls <see cref="TakeBack"/>.</summary>
    public bool TryTake([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out CoapDatagram? datagram)
    {
        if (_next >= _count)
        {
            datagram = null;
            return false;
        }

        int i = _next++;
        datagram = _datagrams[i];
        datagram.Lend();
        _lent = i;
        return true;
    }

    /// <summary>Ends the turn of the last taken datagram: if the pipeline kept it, its slot gets another one.</summary>
    public void TakeBack()
    {
        int i = _lent;
        if (i >= 0)
        {
            _lent = -1;
            if (!_datagrams[i].TryTakeBack())
            {
                Fill(i);
            }
        }
    }

    /// <summary>Drops the remaining datagrams.</summary>
    public void Clear() => _next = _count;

    private static CoapAddress ReadControl(LinuxUdpSocket socket, in SocketMessageHeader header)
    {
        CoapAddress local = socket.Local;
        int offset = 0;
        while (ControlMessages.TryNext(header.Control, (int)header.ControlLength, ref offset, out int level, out int type, out byte* data,
            out int length))
        {
            if (level == LibC.SolSocket && type == LibC.SoReceiveQueueOverflow && length >= sizeof(uint))
            {
                socket.CountDrops(*(uint*)data);
            }
            else if (ControlMessages.TryReadLocal(level, type, data, length, socket.Local.Port, out CoapAddress read))
            {
                local = read;
            }
        }

        return local;
    }

    private void Fill(int i)
    {
        CoapDatagram datagram = _pool.Rent();
        _datagrams[i] = datagram;
        _vectors.Address[i].Base = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(datagram.Buffer));
        _vectors.Address[i].Length = (nuint)datagram.Buffer.Length;
    }
}
