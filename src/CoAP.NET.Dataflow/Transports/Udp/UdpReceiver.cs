using System.Runtime.InteropServices;
using CoAP.NET.Transports.Loops;

namespace CoAP.NET.Transports.Udp;

/// <summary>
/// Handles the UDP sockets of a loop: non-blocking recvmmsg until all are empty, everything processed to completion, answers collected and
/// sent with sendmmsg. All state below belongs to the thread that runs the loop, and at any call into the pipeline another thread can
/// continue with it.
/// </summary>
internal sealed unsafe class UdpReceiver(EpollLoop loop)
{
    private const int QuoteSize = 1500;
    private const int MinQuote = 4;
    private const int MaxErrorsAtOnce = 64;
    private const int OriginICMP = 2;
    private const int OriginICMPv6 = 3;
    private const int MaxFailures = 100;

    // A reading of the clock costs as much as a stage; so many datagrams take some tens of microseconds, less than the resolution of the
    // protocol's timers.
    private const int DatagramsOfOneTime = 16;

    // A single datagram reaches the stages before a prefetch could complete.
    private const int ExpectedAtLeast = 4;

    private readonly List<ReceiveBatch> _batches = [];
    private readonly SendBatch _out = new();
    private ReceiveBatch? _batch;

    /// <summary>Adds a datagram to the batch. Only for the thread that runs the loop; while it is in user code, pinned.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="datagram">The datagram.</param>
    /// <param name="isForeign">Whether another loop receives from the socket.</param>
    /// <param name="failures">The failed datagrams; created when needed.</param>
    public void Send(LinuxUdpSocket socket, CoapDatagram datagram, bool isForeign, ref List<SendFailure>? failures)
    {
        _out.Add(socket, datagram, isForeign, ref failures);
        if (loop.HasBeenLong)
        {
            _out.Flush(ref failures);
        }
    }

    /// <summary>Sends the batch.</summary>
    /// <param name="failures">The failed datagrams; created when needed.</param>
    public void Flush(ref List<SendFailure>? failures) => _out.Flush(ref failures);

    /// <summary>Serves a socket's turn.</summary>
    /// <returns>False when the thread has lost the role.</returns>
    public bool Serve(ReceiveLoopOwnership role, LinuxUdpSocket socket)
    {
        if (socket.IsClosing)
        {
            return true;
        }

        if (socket.HasError && !ReadErrors(role, socket))
        {
            return false;
        }

        socket.Events = 0;
        ReceiveBatch batch = BatchFor(socket);
        int count = batch.Receive(socket);
        if (count <= 0)
        {
            OnReceiveFailed(socket, Marshal.GetLastPInvokeError());
            return true;
        }

        socket.Failures = 0;
        loop.MakeReady(socket);
        _batch = batch;
        loop.Begin(socket.Owner);
        if (count >= ExpectedAtLeast)
        {
            socket.BatchContext?.Expect(batch.Waiting);
        }

        return FinishBatch(role);
    }

    /// <summary>Dispatches the rest of the batch, then sends the answers.</summary>
    public bool FinishBatch(ReceiveLoopOwnership role)
    {
        ReceiveBatch? batch = _batch;
        if (batch is null)
        {
            return true;
        }

        // The datagram of the thread that lost the role, which keeps it.
        batch.TakeBack();
        LinuxUdpSocket socket = batch.Socket!;
        ICoapDatagramTransportContext context = socket.Context;
        int left = 0;
        long now = 0;
        while (!socket.IsClosing && batch.TryTake(out CoapDatagram? datagram))
        {
            if (--left < 0)
            {
                left = DatagramsOfOneTime - 1;
                now = CoapEnvironment.ReadClock(context.TimeProvider);
            }

            datagram.ReceivedAt = now;
            context.Receive(datagram);
            if (!role.ExitAll())
            {
                return false;
            }

            batch.TakeBack();
            if (loop.HasBeenLong)
            {
                left = 0;
                if (!loop.Flush(role))
                {
                    return false;
                }
            }
        }

        batch.Clear();
        _batch = null;
        return loop.Flush(role);
    }

    /// <summary>Sends the batch.</summary>
    /// <returns>False when the thread has lost the role.</returns>
    public bool Flush(ReceiveLoopOwnership role)
    {
        List<SendFailure>? failures = null;
        Flush(ref failures);
        if (failures is null)
        {
            return true;
        }

        SendFailure.Report(failures);
        return role.ExitAll();
    }

    private void OnReceiveFailed(LinuxUdpSocket socket, int error)
    {
        if (error == LibC.EAGAIN)
        {
            socket.Failures = 0;
            return;
        }

        if (LinuxErrors.IsDescriptorLost(error))
        {
            socket.OnLost(error);
            return;
        }

        // An ICMP error of an earlier datagram makes a receive fail once; the error queue has the details.
        socket.Events |= LibC.EpollError;
        loop.MakeReady(socket);
        if (++socket.Failures % MaxFailures == 0)
        {
            if (socket.Engine.Receiving.IsDue())
            {
                UdpLog.UdpReceiveFailed(socket.Owner.Context.Logger, socket.Local, LinuxErrors.ToException(error).Message);
            }

            Watchdog.Pause();
        }
    }

    private ReceiveBatch BatchFor(LinuxUdpSocket socket)
    {
        foreach (ReceiveBatch batch in _batches)
        {
            if (batch.BufferSize == socket.MaxDatagramSize)
            {
                return batch;
            }
        }

        ReceiveBatch made = new(socket.MaxDatagramSize);
        _batches.Add(made);
        return made;
    }

    private bool ReadErrors(ReceiveLoopOwnership role, LinuxUdpSocket socket)
    {
        socket.Events = 0;
        byte* quote = stackalloc byte[QuoteSize];
        byte* control = stackalloc byte[512];
        byte* name = stackalloc byte[32];
        for (int i = 0; i < MaxErrorsAtOnce && !socket.IsClosing; i++)
        {
            IoVector vector = new() { Base = quote, Length = QuoteSize };
            SocketMessageHeader header = new()
            {
                Name = name,
                NameLength = 32,
                Vectors = &vector,
                VectorCount = 1,
                Control = control,
                ControlLength = 512
            };
            nint length = LibC.Receive(socket.Descriptor, &header, LibC.ErrorQueue | LibC.DontWait);
            if (length < 0)
            {
                int error = Marshal.GetLastPInvokeError();
                if (error == LibC.EAGAIN)
                {
                    return true;
                }

                continue;
            }

            if (length >= MinQuote && IsPortUnreachable(socket, header, out CoapAddress local))
            {
                loop.Begin(socket.Owner);
                CoapAddress remote = SockaddrConverter.Read(new ReadOnlySpan<byte>(name, SockaddrConverter.IPv6Size), socket.IsIPv6);
                socket.Context.PortUnreachable(remote, local, new ReadOnlySpan<byte>(quote, (int)length));
                if (!role.ExitAll() || !loop.Flush(role))
                {
                    return false;
                }
            }
        }

        // There may be more errors: the next poll reports them.
        return true;
    }

    private static bool IsPortUnreachable(LinuxUdpSocket socket, in SocketMessageHeader header, out CoapAddress local)
    {
        bool found = false;
        local = socket.Local;
        int offset = 0;
        while (ControlMessages.TryNext(header.Control, (int)header.ControlLength, ref offset, out int level, out int type, out byte* data,
            out int length))
        {
            bool isError = (level == LibC.SolIP && type == LibC.IPReceiveErrors)
                || (level == LibC.SolIPv6 && type == LibC.IPv6ReceiveErrors);
            if (isError && length >= 16)
            {
                // struct sock_extended_err: errno, origin, type, code.
                byte origin = data[4];
                found |= (origin == OriginICMP && data[5] == 3 && data[6] == 3) || (origin == OriginICMPv6 && data[5] == 1 && data[6] == 4);
            }
            else if (socket.IsWildcard && TryReadErrorLocal(level, type, data, length, socket.Local.Port, out CoapAddress read))
            {
                local = read;
            }
        }

        return found;
    }

    private static bool TryReadErrorLocal(int level, int type, byte* data, int length, ushort port, out CoapAddress local)
    {
        if (level == LibC.SolIP && type == LibC.IPPacketInfo && length >= 12)
        {
            // With an error, the kernel fills in only the address in the ICMP packet's header, which is the local one.
            *(uint*)(data + 4) = 0;
        }

        return ControlMessages.TryReadLocal(level, type, data, length, port, out local);
    }
}
