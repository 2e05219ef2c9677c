using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Transports;

/// <summary>
/// One loop for many descriptors: each is read without waiting, everything is run to completion, what comes out is collected and sent together, then
/// epoll_wait. All state below belongs to the thread that holds the role, and is at any call into the pipeline such that another thread can go on with it.
/// </summary>
internal sealed unsafe partial class EpollLoop : ReceiveLoop
{
    /// <summary>So many connections, or datagrams, have one time: reading the clock costs as much as a stage. A power of two.</summary>
    public const int TurnsOfOneTime = 16;

    // A descriptor that never gets empty must not keep the others from being seen.
    private const int RoundsBetweenPolls = 16;
    private const int EventCapacity = 128;

    private readonly SharedLoop? _shared;
    private readonly Queue<LoopFile> _ready = new();
    private readonly SafeFileHandle _epoll;
    private readonly SafeFileHandle _event;
    private readonly PinnedArray<byte> _events = new(EventCapacity * EpollEvent.Size);
    private UdpReceiver? _udp;
    private TcpReceiver? _tcp;
    private LoopOwner? _active;
    private int _roundsToPoll;
    private bool _isOver;

    /// <summary>Makes a loop.</summary>
    /// <param name="scheduler">Where its threads come from.</param>
    /// <param name="index">The shard that it is for; 0 for a shared one.</param>
    /// <param name="shared">Who decides when it ends; null: <see cref="End"/>.</param>
    public EpollLoop(CoapScheduler scheduler, int index, SharedLoop? shared)
        : base(scheduler)
    {
        Index = index;
        _shared = shared;
        _checkAt = shared is null ? 0 : long.MaxValue;
        _epoll = LibC.CreateEpoll();
        _event = LibC.CreateEvent();
        if (_epoll.IsInvalid || _event.IsInvalid || !Control(LibC.EpollAdd, _event, LibC.EpollIn, 0))
        {
            Close();
            throw new CoapException("The operating system gives no epoll or eventfd descriptor; the process may have too many open files.");
        }
    }

    public int Index { get; }

    /// <summary>How many transports use it; guarded by the <see cref="SharedLoop"/> that counts them.</summary>
    public int Users { get; set; }

    /// <summary>What is received from UDP sockets, and the datagrams that are to leave together. Only for the thread that holds the role; while it is in user code, pinned.</summary>
    public UdpReceiver Udp => _udp ??= new UdpReceiver(this);

    /// <summary>What is received from TCP connections, and what is to leave with one send. Only for the thread that holds the role; while it is in user code, pinned.</summary>
    public TcpReceiver Tcp => _tcp ??= new TcpReceiver(this);

    protected override CoapTransportContext? ActiveContext => Volatile.Read(ref _active)?.Context;

    protected override TimeSpan HandOverAfter => Volatile.Read(ref _active)?.HandOverAfter ?? Timeout.InfiniteTimeSpan;

    /// <summary>Has the loop end when nothing is left to do; nobody may use it from here on.</summary>
    public void End()
    {
        Volatile.Write(ref _isOver, true);
        Signal();
    }

    /// <summary>Gives the descriptors back; only for a loop that has ended or was never started.</summary>
    public void Close()
    {
        _epoll.Dispose();
        _event.Dispose();
    }

    /// <summary>Begins with something of a transport, with a time of its own.</summary>
    public void Begin(LoopOwner owner)
    {
        Activate(owner);
        BeginTurn();
    }

    /// <summary>Begins with something of a transport that was ready when the loop last looked: so many turns share one time.</summary>
    public void BeginSharingTime(LoopOwner owner)
    {
        Activate(owner);
        MarkProgress();
    }

    /// <summary>Sends what is batched.</summary>
    /// <param name="role">The thread's hold on the loop.</param>
    /// <returns>False when the thread has lost it.</returns>
    public bool Flush(ReceiveRole role)
    {
        IsUrgent = false;
        _tcp?.Flush();
        return _udp is null || _udp.Flush(role);
    }

    /// <summary>Gives a descriptor a turn.</summary>
    public void MakeReady(LoopFile file)
    {
        if (!file.IsQueued)
        {
            file.IsQueued = true;
            _ready.Enqueue(file);
        }
    }

    protected override void Run(ReceiveRole role)
    {
        // What another thread may have left in the middle.
        if (!Flush(role) || (_udp is not null && !_udp.FinishBatch(role)) || (_tcp is not null && !_tcp.Continue(role)))
        {
            return;
        }

        bool looks = true;
        while (true)
        {
            if (looks || Volatile.Read(ref _signalled) != 0)
            {
                looks = false;
                Interlocked.Exchange(ref _signalled, 0);
                if (!RunCommands(role))
                {
                    return;
                }

                _clocks.CollectWoken(Now);
            }

            if ((--_roundsToPoll & (TurnsOfOneTime - 1)) == 0)
            {
                StageTime.Forget();
            }

            if (_ready.Count == 0 || _roundsToPoll <= 0)
            {
                if (!RunClocks(role))
                {
                    return;
                }

                if (Volatile.Read(ref _isOver) || _shared?.TryEnd(this) == true)
                {
                    MarkEnded();
                    Close();
                    return;
                }

                Poll();
            }

            if (_ready.TryDequeue(out LoopFile? file))
            {
                file.IsQueued = false;
                if (!file.Serve(this, role))
                {
                    return;
                }
            }
        }
    }

    private void Activate(LoopOwner owner)
    {
        if (_active != owner)
        {
            Volatile.Write(ref _active, owner);
        }
    }

    private void Poll()
    {
        int milliseconds = _ready.Count > 0 ? 0 : MillisecondsToWait();
        if (Volatile.Read(ref _signalled) != 0)
        {
            milliseconds = 0;
        }

        int count = LibC.WaitForEpoll(_epoll, _events.Address, EventCapacity, milliseconds);
        StageTime.Forget();
        if (count < 0 && Marshal.GetLastPInvokeError() is var error and not LibC.EINTR)
        {
            OnLost(error);
        }

        for (int i = 0; i < count; i++)
        {
            byte* at = _events.Address + (i * EpollEvent.Size);
            long id = EpollEvent.Data(at);
            if (_files.Find(id) is { } file)
            {
                file.Events |= EpollEvent.Events(at);
                MakeReady(file);
            }
            else if (id == 0)
            {
                DrainEvent();
            }
        }

        // All that is ready now gets its turn before the next look, which then costs each only its share.
        _roundsToPoll = Math.Max(RoundsBetweenPolls, _ready.Count);
    }

    // It goes on with what is asked of it, so that its transports can be closed, but nothing will ever be ready.
    private void OnLost(int error)
    {
        _checkAt = long.MaxValue;
        _shared?.Retire(this);
        foreach (LoopOwner owner in _files.Owners())
        {
            owner.Context.Fault(LostDescriptor.Of("the receive loop (epoll)", error));
        }

        ReceiveWatchdog.Pause();
    }
}
