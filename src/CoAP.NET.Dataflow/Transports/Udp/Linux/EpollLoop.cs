using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Transports;

/// <summary>
/// One loop for many UDP sockets: recvmmsg without waiting until all are empty, everything run to completion, answers collected and sent with sendmmsg, then
/// epoll_wait. All state below belongs to the thread that holds the role, and is at any call into the pipeline such that another thread can go on with it.
/// </summary>
internal sealed unsafe partial class EpollLoop : ReceiveLoop
{
    // A socket that never gets empty must not keep the others from being seen.
    private const int RoundsBetweenPolls = 16;
    private const int EventCapacity = 64;
    private const int MaxFailures = 100;

    private readonly SharedLoop? _shared;
    private readonly Queue<LinuxUdpSocket> _ready = new();
    private readonly Dictionary<long, LinuxUdpSocket> _sockets = [];
    private readonly List<ReceiveBatch> _batches = [];
    private readonly SendBatch _out = new();
    private readonly SafeFileHandle _epoll;
    private readonly SafeFileHandle _event;
    private readonly PinnedArray<byte> _events = new(EventCapacity * EpollEvent.Size);
    private ReceiveBatch? _batch;
    private LinuxUdpEngine? _active;
    private long _lastId;
    private int _rounds;
    private bool _isOver;

    /// <summary>Makes a loop.</summary>
    /// <param name="scheduler">Where its threads come from.</param>
    /// <param name="index">Which of its transport's loops it is; 0 for a shared one.</param>
    /// <param name="shared">Who decides when it ends; null: it ends with its transport.</param>
    public EpollLoop(CoapScheduler scheduler, int index, SharedLoop? shared)
        : base(scheduler)
    {
        Index = index;
        _shared = shared;
        _epoll = LibC.CreateEpoll();
        _event = LibC.CreateEvent();
        if (_epoll.IsInvalid || _event.IsInvalid || !Control(LibC.EpollAdd, _event, 0))
        {
            Close();
            throw new CoapException("The operating system gives no epoll or eventfd descriptor; the process may have too many open files.");
        }
    }

    public int Index { get; }

    protected override CoapTransportContext? ActiveContext => Volatile.Read(ref _active)?.Context;

    protected override TimeSpan HandOverAfter => Volatile.Read(ref _active)?.Options.HandOverAfter ?? Timeout.InfiniteTimeSpan;

    /// <summary>Adds a datagram to what is sent at the end of the batch. Only for the thread that holds the role; while it is in user code, pinned.</summary>
    public void Send(LinuxUdpSocket socket, CoapDatagram datagram, ref List<SendFailure>? failures)
    {
        _out.Add(socket, datagram, ref failures);
        if (IsUrgent)
        {
            _out.Flush(ref failures);
        }
    }

    /// <summary>Gives the descriptors back; only for a loop that has ended or was never started.</summary>
    public void Close()
    {
        _epoll.Dispose();
        _event.Dispose();
    }

    protected override void Run(ReceiveRole role)
    {
        if (!Flush(role) || !FinishBatch(role))
        {
            return;
        }

        while (true)
        {
            if (Volatile.Read(ref _signalled) != 0)
            {
                Interlocked.Exchange(ref _signalled, 0);
                RunCommands();
                _clocks.CollectWoken(Now);
            }

            if (!RunClocks(role))
            {
                return;
            }

            if (_ready.Count == 0 || ++_rounds >= RoundsBetweenPolls)
            {
                if (_isOver || _shared?.TryEnd(this) == true)
                {
                    MarkEnded();
                    Close();
                    return;
                }

                Poll();
            }

            if (_ready.TryDequeue(out LinuxUdpSocket? socket) && !Serve(role, socket))
            {
                return;
            }
        }
    }

    private bool Serve(ReceiveRole role, LinuxUdpSocket socket)
    {
        socket.IsQueued = false;
        if (socket.IsClosing)
        {
            return true;
        }

        if (socket.HasError && !ReadErrors(role, socket))
        {
            return false;
        }

        ReceiveBatch batch = BatchFor(socket);
        int count = batch.Receive(socket);
        if (count <= 0)
        {
            OnReceiveFailed(socket, Marshal.GetLastPInvokeError());
            return true;
        }

        socket.Failures = 0;
        MakeReady(socket);
        _batch = batch;
        Begin(socket.Owner);
        return FinishBatch(role);
    }

    /// <summary>Dispatches what is left of the batch, then sends the answers.</summary>
    private bool FinishBatch(ReceiveRole role)
    {
        ReceiveBatch? batch = _batch;
        if (batch is null)
        {
            return true;
        }

        // The datagram of the thread that lost the role; it keeps it.
        batch.TakeBack();
        LinuxUdpSocket socket = batch.Socket!;
        CoapTransportContext context = socket.Owner.Context;
        while (!socket.IsClosing && batch.TryTake(out CoapDatagram? datagram))
        {
            StageTime.Forget();
            context.Receive(datagram);
            if (!role.Settle())
            {
                return false;
            }

            batch.TakeBack();
            if (IsUrgent && !Flush(role))
            {
                return false;
            }
        }

        batch.Clear();
        _batch = null;
        return Flush(role);
    }

    private bool Flush(ReceiveRole role)
    {
        IsUrgent = false;
        List<SendFailure>? failures = null;
        _out.Flush(ref failures);
        if (failures is null)
        {
            return true;
        }

        SendFailure.Report(failures);
        return role.Settle();
    }

    private void Poll()
    {
        _rounds = 0;
        int milliseconds = _ready.Count > 0 ? 0 : MillisecondsToWait();
        if (Volatile.Read(ref _signalled) != 0)
        {
            milliseconds = 0;
        }

        int count = LibC.WaitForEpoll(_epoll, _events.Address, EventCapacity, milliseconds);
        for (int i = 0; i < count; i++)
        {
            byte* at = _events.Address + (i * EpollEvent.Size);
            if (!_sockets.TryGetValue(EpollEvent.Data(at), out LinuxUdpSocket? socket))
            {
                DrainEvent();
                continue;
            }

            socket.HasError |= (EpollEvent.Events(at) & LibC.EpollError) != 0;
            MakeReady(socket);
        }
    }

    private void MakeReady(LinuxUdpSocket socket)
    {
        if (!socket.IsQueued)
        {
            socket.IsQueued = true;
            _ready.Enqueue(socket);
        }
    }

    private void OnReceiveFailed(LinuxUdpSocket socket, int error)
    {
        if (error == LibC.EAGAIN)
        {
            socket.Failures = 0;
            return;
        }

        // An ICMP error of something sent earlier makes a receive fail once; the error queue tells which.
        socket.HasError = true;
        MakeReady(socket);
        if (++socket.Failures % MaxFailures == 0)
        {
            Log.UdpReceiveFailed(socket.Owner.Context.Logger, socket.Local, LinuxErrors.ToException(error).Message);
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

    /// <summary>Begins with something of a transport, as the watchdog shall see.</summary>
    private void Begin(LinuxUdpEngine owner)
    {
        if (_active != owner)
        {
            Volatile.Write(ref _active, owner);
        }

        MarkProgress();
    }

    private bool Control(int operation, SafeHandle file, long id)
    {
        byte* at = stackalloc byte[16];
        EpollEvent.Write(at, LibC.EpollIn, id);
        return LibC.ControlEpoll(_epoll, operation, file, at) == 0;
    }
}
