using System.Runtime.InteropServices;
using CoAP.NET.Transports.Loops;

namespace CoAP.NET.Transports.Udp;

/// <summary>
/// Sends datagrams together with sendmmsg. They are copied, mostly some dozen bytes, so their buffers return to the thread at once and need
/// no pinning. Use it only on the thread that runs the loop.
/// </summary>
internal sealed unsafe class SendBatch
{
    public const int Capacity = 64;
    /// <summary>The maximum size of a datagram; UDP has no larger ones.</summary>
    public const int MaxLength = 65_535;

    private const int NameSize = 32;
    private const int BufferSize = 128 * 1024;
    private const int MaxAttempts = 5;
    private const int MaxWaits = 5;

    private readonly PinnedArray<byte> _buffer = new(BufferSize);
    private readonly PinnedArray<MmsgHeader> _messages = new(Capacity);
    private readonly PinnedArray<IoVector> _vectors = new(Capacity);
    private readonly PinnedArray<byte> _names = new(Capacity * NameSize);
    private readonly PinnedArray<byte> _controls = new(Capacity * ControlMessages.SendSize);
    private readonly LinuxUdpSocket?[] _sockets = new LinuxUdpSocket?[Capacity];
    private readonly CoapChannel?[] _channels = new CoapChannel?[Capacity];
    private int _count;
    private int _used;
    private bool _hasForeign;

    public SendBatch()
    {
        for (int i = 0; i < Capacity; i++)
        {
            ref SocketMessageHeader header = ref _messages.Address[i].Header;
            header.Name = _names.Address + (i * NameSize);
            header.Vectors = _vectors.Address + i;
            header.VectorCount = 1;
        }
    }

    /// <summary>Adds a copy of a datagram; sends the batch when it is full.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="datagram">The datagram; at most <see cref="MaxLength"/> bytes.</param>
    /// <param name="isForeign">Whether another loop receives from the socket, which may be closed before the datagram leaves.</param>
    /// <param name="failures">The failed datagrams; created when needed.</param>
    public void Add(LinuxUdpSocket socket, CoapDatagram datagram, bool isForeign, ref List<SendFailure>? failures)
    {
        if (_count == Capacity || _used + datagram.Length > BufferSize)
        {
            Flush(ref failures);
        }

        _hasForeign |= isForeign;
        int i = _count++;
        byte* bytes = _buffer.Address + _used;
        _used += datagram.Length;
        datagram.Span.CopyTo(new Span<byte>(bytes, datagram.Length));
        _vectors.Address[i].Base = bytes;
        _vectors.Address[i].Length = (nuint)datagram.Length;
        _sockets[i] = socket;
        _channels[i] = datagram.Channel;
        SetAddresses(ref _messages.Address[i].Header, _controls.Address + (i * ControlMessages.SendSize), socket, datagram);
    }

    /// <summary>Sends all datagrams in order.</summary>
    /// <param name="failures">The failed datagrams; created when needed.</param>
    public void Flush(ref List<SendFailure>? failures)
    {
        int count = _count;
        if (count == 0)
        {
            return;
        }

        int waits = MaxWaits;
        for (int start = 0; start < count;)
        {
            LinuxUdpSocket socket = _sockets[start]!;
            int end = start + 1;
            while (end < count && _sockets[end] == socket)
            {
                end++;
            }

            if (_hasForeign)
            {
                SendIfOpen(socket, start, end, ref waits, ref failures);
            }
            else
            {
                Send(socket, start, end, ref waits, ref failures);
            }

            start = end;
        }

        Array.Clear(_sockets, 0, count);
        Array.Clear(_channels, 0, count);
        _count = _used = 0;
        _hasForeign = false;
    }

    /// <summary>Sends one datagram at once; for threads without the role of its loop.</summary>
    /// <returns>0, or the error.</returns>
    public static int SendNow(LinuxUdpSocket socket, CoapDatagram datagram)
    {
        byte* name = stackalloc byte[NameSize];
        byte* control = stackalloc byte[ControlMessages.SendSize];
        fixed (byte* bytes = datagram.Buffer)
        {
            IoVector vector = new() { Base = bytes, Length = (nuint)datagram.Length };
            SocketMessageHeader header = new() { Name = name, Vectors = &vector, VectorCount = 1 };
            SetAddresses(ref header, control, socket, datagram);
            int attempts = MaxAttempts;
            int waits = MaxWaits;
            while (LibC.Send(socket.Handle, &header, LibC.DontWait | LibC.NoSignal) < 0)
            {
                int error = Marshal.GetLastPInvokeError();
                if (!MayRetry(socket.Descriptor, error, ref attempts, ref waits))
                {
                    return error;
                }
            }
        }

        return 0;
    }

    private static void SetAddresses(ref SocketMessageHeader header, byte* control, LinuxUdpSocket socket, CoapDatagram datagram)
    {
        CoapAddress local = datagram.Local;
        *(ushort*)header.Name = (ushort)(socket.IsIPv6 ? 10 : 2);
        header.NameLength = (uint)SockaddrConverter.Write(new Span<byte>(header.Name, NameSize), datagram.Remote, socket.IsIPv6);
        if (socket.NeedsSource(local))
        {
            header.Control = control;
            header.ControlLength = (nuint)ControlMessages.WriteSource(control, local, socket.IsIPv6);
        }
        else
        {
            int length = datagram.Remote.IsMulticast ? ControlMessages.WriteGroup(control, datagram.Remote, datagram.HopLimit) : 0;
            header.Control = length > 0 ? control : null;
            header.ControlLength = (nuint)length;
        }
    }

    /// <summary>
    /// Handles a refusal. It waits a little for a full send buffer. Any other error is retried at once: with IP_RECVERR a socket reports an
    /// ICMP error of an earlier datagram by refusing a later call once, whatever its purpose.
    /// </summary>
    private static bool MayRetry(int descriptor, int error, ref int attempts, ref int waits)
    {
        switch (error)
        {
            case LibC.EINTR:
                return true;
            case LibC.EAGAIN:
                PollEntry entry = new() { File = descriptor, Events = LibC.PollOut };
                if (waits-- <= 0)
                {
                    return false;
                }

                _ = LibC.Poll(&entry, 1, 1);
                return true;
            default:
                return --attempts > 0;
        }
    }

    // After closing, the number may belong to another file. Datagrams for a closed socket are lost, as on the network.
    private void SendIfOpen(LinuxUdpSocket socket, int start, int end, ref int waits, ref List<SendFailure>? failures)
    {
        bool isHeld = false;
        try
        {
            socket.Handle.DangerousAddRef(ref isHeld);
            if (!socket.IsLost)
            {
                Send(socket, start, end, ref waits, ref failures);
            }
        }
        catch (ObjectDisposedException)
        {
        }
        finally
        {
            if (isHeld)
            {
                socket.Handle.DangerousRelease();
            }
        }
    }

    private void Send(LinuxUdpSocket socket, int start, int end, ref int waits, ref List<SendFailure>? failures)
    {
        int attempts = MaxAttempts;
        while (start < end)
        {
            int sent = LibC.SendMany(socket.Descriptor, _messages.Address + start, (uint)(end - start), LibC.DontWait | LibC.NoSignal);
            if (sent > 0)
            {
                start += sent;
                attempts = MaxAttempts;
                continue;
            }

            int error = Marshal.GetLastPInvokeError();
            if (!MayRetry(socket.Descriptor, error, ref attempts, ref waits))
            {
                (failures ??= []).Add(new SendFailure(socket.Engine, Rebuild(socket, start), error));
                start++;
                attempts = MaxAttempts;
            }
        }
    }

    private CoapDatagram Rebuild(LinuxUdpSocket socket, int i)
    {
        ref SocketMessageHeader header = ref _messages.Address[i].Header;
        ref IoVector vector = ref _vectors.Address[i];
        CoapAddress local = socket.Local;
        int offset = 0;
        if (ControlMessages.TryNext(header.Control, (int)header.ControlLength, ref offset, out int level, out int type, out byte* data,
            out int length))
        {
            // Outbound, the source is in the place of spec_dst.
            ControlMessages.TryReadLocal(level, type, data, length, socket.Local.Port, out local);
        }

        CoapDatagram datagram = new((int)vector.Length)
        {
            Length = (int)vector.Length,
            Remote = SockaddrConverter.Read(new ReadOnlySpan<byte>(header.Name, SockaddrConverter.IPv6Size), socket.IsIPv6),
            Local = local,
            Transport = socket.Engine.Transport,
            TransportTag = socket.Tag,
            Channel = _channels[i],
        };
        new ReadOnlySpan<byte>(vector.Base, datagram.Length).CopyTo(datagram.Buffer);
        return datagram;
    }
}
