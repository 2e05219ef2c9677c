using System.Runtime.InteropServices;

namespace CoAP.NET.Transports;

/// <summary>
/// What a loop does with UDP sockets: recvmmsg without waiting until all are empty, everything run to completion, answers collected and
/// sent with sendmmsg. All state below belongs to the thread that holds the role, and is at any call into the pipeline such that another
/// thread can go on with it.
/// </summary>
internal sealed unsafe partial class UdpReceiver(EpollLoop loop)
{
    private const int MaxFailures = 100;

    // A single one is in the hands of the stages as soon as anything could be fetched for it.
    private const int ExpectedAtLeast = 4;

    private readonly List<ReceiveBatch> _batches = [];
    private readonly SendBatch _out = new();
    private ReceiveBatch? _batch;

    /// <summary>
    /// Adds a datagram to what is sent at the end of the batch. Only for the thread that holds the role; while it is in user code, pinned.
    /// </summary>
    /// <param name="socket">The socket.</param>
    /// <param name="datagram">The datagram.</param>
    /// <param name="isForeign">Whether another loop receives from the socket.</param>
    /// <param name="failures">What could not be sent on this occasion; made when needed.</param>
    public void Send(LinuxUdpSocket socket, CoapDatagram datagram, bool isForeign, ref List<SendFailure>? failures)
    {
        _out.Add(socket, datagram, isForeign, ref failures);
        if (loop.HasBeenLong)
        {
            _out.Flush(ref failures);
        }
    }

    /// <summary>A socket has its turn.</summary>
    /// <returns>False when the thread has lost the role.</returns>
    public bool Serve(ReceiveRole role, LinuxUdpSocket socket)
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
            socket.Context.Expect(batch.Waiting);
        }

        return FinishBatch(role);
    }

    /// <summary>Dispatches what is left of the batch, then sends the answers.</summary>
    public bool FinishBatch(ReceiveRole role)
    {
        ReceiveBatch? batch = _batch;
        if (batch is null)
        {
            return true;
        }

        // The datagram of the thread that lost the role; it keeps it.
        batch.TakeBack();
        LinuxUdpSocket socket = batch.Socket!;
        ICoapDatagramContext context = socket.Context;
        int left = 0;
        while (!socket.IsClosing && batch.TryTake(out CoapDatagram? datagram))
        {
            if (--left < 0)
            {
                left = UserCodePolicy.TurnsOfOneTime - 1;
                StageTime.Forget();
            }

            context.Receive(datagram);
            if (!role.Settle())
            {
                return false;
            }

            batch.TakeBack();
            if (loop.HasBeenLong && !loop.Flush(role))
            {
                return false;
            }
        }

        batch.Clear();
        _batch = null;
        return loop.Flush(role);
    }

    /// <summary>Sends what is batched.</summary>
    /// <returns>False when the thread has lost the role.</returns>
    public bool Flush(ReceiveRole role)
    {
        List<SendFailure>? failures = null;
        _out.Flush(ref failures);
        if (failures is null)
        {
            return true;
        }

        SendFailure.Report(failures);
        return role.Settle();
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

        // An ICMP error of something sent earlier makes a receive fail once; the error queue tells which.
        socket.Events |= LibC.EpollError;
        loop.MakeReady(socket);
        if (++socket.Failures % MaxFailures == 0)
        {
            if (socket.Engine.Receiving.IsDue())
            {
                Log.UdpReceiveFailed(socket.Owner.Context.Logger, socket.Local, LinuxErrors.ToException(error).Message);
            }

            ReceiveWatchdog.Pause();
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
}
