using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using CoAP.NET.Transports.Tcp;
using CoAP.NET.Transports.Udp;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Transports.Loops;

/// <summary>
/// One loop for many descriptors: it reads each without waiting, processes everything to completion, collects the results and sends them
/// together, then calls epoll_wait. After each turn it calls the due clocks. Other threads ask it to attach and detach a transport, to
/// attend to a descriptor, and to call a clock. All state below belongs to the thread that runs the loop. At each call into the pipeline
/// the state is such that another thread can continue.
/// </summary>
internal sealed unsafe class EpollLoop : ReceiveLoop
{
    // A descriptor that never becomes empty must not starve the others.
    private const int RoundsBetweenPolls = 16;
    private const int EventCapacity = 128;

    // A server checks its sockets every few seconds: if other code closed one, the server would run without receiving anything.
    private static readonly long s_checkPeriod = 5 * TimeProvider.System.TimestampFrequency;

    private readonly SharedLoop? _shared;
    private readonly Queue<EpollWatchedDescriptor> _ready = new();
    private readonly SafeFileHandle _epoll;
    private readonly SafeFileHandle _event;
    private readonly PinnedArray<byte> _events = new(EventCapacity * EpollEvent.Size);
    private readonly LoopClockQueue _clocks = new();
    private long _checkAt;
    private readonly EpollDescriptorTable _files = new();
    private readonly ConcurrentQueue<Command> _commands = new();
    private readonly ConcurrentQueue<EpollWatchedDescriptor> _calls = new();
    private int _signalled;
    private UdpReceiver? _udp;
    private TcpReceiver? _tcp;
    private EpollTransportContext? _active;
    private int _roundsToPoll;
    private bool _isOver;

    /// <summary>Creates a loop.</summary>
    /// <param name="scheduler">The source of its threads.</param>
    /// <param name="index">The shard of the loop; 0 for a shared one.</param>
    /// <param name="shared">Decides when the loop ends; null for <see cref="End"/>.</param>
    public EpollLoop(CoapThreadScheduler scheduler, int index, SharedLoop? shared)
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
            throw new CoapException("The system provides no epoll or eventfd descriptor; the process may have too many open files.");
        }
    }

    public int Index { get; }

    /// <summary>The number of transports that use it; guarded by the counting <see cref="SharedLoop"/>.</summary>
    public int Users { get; set; }

    /// <summary>Receives from UDP sockets and sends in batches. Only for the thread with the role, pinned while in user code.</summary>
    public UdpReceiver Udp => _udp ??= new UdpReceiver(this);

    /// <summary>Receives from TCP connections and sends in batches. Only for the thread with the role, pinned in user code.</summary>
    public TcpReceiver Tcp => _tcp ??= new TcpReceiver(this);

    /// <summary>How often it has polled the kernel. Only for the thread that runs the loop.</summary>
    public long Looks { get; private set; }

    protected override LoopCountersAndLogger? ActiveReports =>
        Volatile.Read(ref _active)?.Context is { } context ? new LoopCountersAndLogger(context.Counters, context.Logger) : null;

    protected override TimeSpan HandOverAfter => Volatile.Read(ref _active)?.HandOverAfter ?? Timeout.InfiniteTimeSpan;

    /// <summary>Ends the loop when nothing is left to do; it must not be used any more.</summary>
    public void End()
    {
        Volatile.Write(ref _isOver, true);
        Signal();
    }

    /// <summary>Closes the descriptors; only for a loop that has ended or was never started.</summary>
    public void Close()
    {
        _epoll.Dispose();
        _event.Dispose();
    }

    public void Begin(EpollTransportContext owner)
    {
        Activate(owner);
        BeginTurn();
    }

    /// <summary>Sends the batched messages.</summary>
    /// <param name="role">The thread's hold on the loop.</param>
    /// <returns>False when the thread has lost it.</returns>
    public bool Flush(ReceiveLoopOwnership role)
    {
        IsUrgent = false;
        _tcp?.Flush();
        return _udp is null || _udp.Flush(role);
    }

    /// <summary>Schedules a turn for a descriptor.</summary>
    public void MakeReady(EpollWatchedDescriptor file)
    {
        if (!file.IsQueued)
        {
            file.IsQueued = true;
            _ready.Enqueue(file);
        }
    }

    /// <summary>Attaches the descriptors of a transport for reading.</summary>
    /// <param name="owner">The transport.</param>
    /// <param name="files">Its descriptors in this loop.</param>
    /// <param name="drivesClock">Whether the loop drives the clock of the endpoint.</param>
    /// <returns>A task that completes when the loop reads them, with the clock; null when the loop does not drive it.</returns>
    public Task<LoopClockSchedule?> AttachAsync(
        EpollTransportContext owner, (EpollWatchedDescriptor File, SafeHandle Handle)[] files, bool drivesClock) =>
        Ask(new Command(owner, files, drivesClock, null));

    /// <summary>
    /// Sends the batched messages and detaches the descriptors of a transport. User code on the loop's thread may await it.
    /// </summary>
    /// <param name="owner">The transport.</param>
    /// <param name="clock">The clock from <see cref="AttachAsync"/>.</param>
    /// <returns>A task that completes when nothing more is received from them.</returns>
    public Task DetachAsync(EpollTransportContext owner, LoopClockSchedule? clock) => Ask(new Command(owner, null, false, clock));

    /// <summary>Makes the loop attend to a descriptor soon; see <see cref="EpollWatchedDescriptor.Attend"/>.</summary>
    public void Call(EpollWatchedDescriptor file)
    {
        if (file.TryMarkCalled())
        {
            _calls.Enqueue(file);
            Signal();
        }
    }

    public void Wake(LoopClockSchedule clock)
    {
        _clocks.Wake(clock);
        Signal();
    }

    /// <summary>Makes the loop check its commands and clocks before it waits again.</summary>
    public void Signal()
    {
        if (Interlocked.Exchange(ref _signalled, 1) != 0)
        {
            return;
        }

        // The thread with the role checks before it waits. Tested after the mark was set: if the role is taken then, the new holder sees
        // it.
        if (UserCodeScope.Role is ReceiveLoopOwnership role && role.Loop == this && role.IsHeld)
        {
            return;
        }

        ulong one = 1;
        try
        {
            _ = LibC.Write(_event, &one, sizeof(ulong));
        }
        catch (ObjectDisposedException)
        {
            // The loop has ended; there is nothing to wake.
        }
    }

    /// <summary>Starts to watch a descriptor. Only for the thread that runs the loop.</summary>
    /// <param name="file">The owner of the descriptor; gets its <see cref="EpollWatchedDescriptor.Id"/>.</param>
    /// <param name="handle">The descriptor.</param>
    /// <param name="events">The events to watch for.</param>
    /// <returns>Whether the operating system accepts it.</returns>
    public bool TryAdd(EpollWatchedDescriptor file, SafeHandle handle, uint events)
    {
        _files.Add(file);
        if (Control(LibC.EpollAdd, handle, events, file.Id))
        {
            return true;
        }

        _files.Remove(file);
        return false;
    }

    /// <summary>Changes the watched events of a descriptor. Thread-safe, while the descriptor cannot be closed.</summary>
    public void Change(EpollWatchedDescriptor file, SafeHandle handle, uint events) => Control(LibC.EpollModify, handle, events, file.Id);

    /// <summary>Stops watching a descriptor. Only for the thread that runs the loop, before the descriptor is closed.</summary>
    public void Remove(EpollWatchedDescriptor file, SafeHandle handle)
    {
        if (!handle.IsClosed)
        {
            Control(LibC.EpollRemove, handle, 0, file.Id);
        }

        _files.Remove(file);
    }

    /// <summary>Whether a descriptor is still the watched one.</summary>
    /// <returns>0, or the error.</returns>
    public int Check(EpollWatchedDescriptor file, SafeHandle handle, uint events)
    {
        try
        {
            return Control(LibC.EpollModify, handle, events, file.Id) ? 0 : Marshal.GetLastPInvokeError();
        }
        catch (ObjectDisposedException)
        {
            // This process has just closed it.
            return 0;
        }
    }

    protected override void Run(ReceiveLoopOwnership role)
    {
        // Completes work that another thread may have left unfinished.
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

            if (_ready.Count == 0 || --_roundsToPoll <= 0)
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

            if (_ready.TryDequeue(out EpollWatchedDescriptor? file))
            {
                file.IsQueued = false;
                if (!file.Serve(this, role))
                {
                    return;
                }
            }
        }
    }

    private void Activate(EpollTransportContext owner)
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
        Looks++;
        if (count < 0 && Marshal.GetLastPInvokeError() is var error and not LibC.EINTR)
        {
            OnLost(error);
        }

        for (int i = 0; i < count; i++)
        {
            EpollEvent ready = new(_events.Address + (i * EpollEvent.Size));
            long id = ready.Data;
            if (_files.Find(id) is { } file)
            {
                file.Events |= ready.Events;
                MakeReady(file);
            }
            else if (id == 0)
            {
                DrainEvent();
            }
        }

        // Every ready descriptor gets its turn before the next poll, whose cost they share.
        _roundsToPoll = Math.Max(RoundsBetweenPolls, _ready.Count);
    }

    // The loop continues to process commands, so that its transports can be closed, but no descriptor will be ready any more.
    private void OnLost(int error)
    {
        _checkAt = long.MaxValue;
        _shared?.Replace(this);
        foreach (EpollTransportContext owner in _files.Owners())
        {
            owner.Context.Fault(LostDescriptorErrors.Of("the receive loop (epoll)", error));
        }

        Watchdog.Pause();
    }

    private static long Now => TimeProvider.System.GetTimestamp();

    private static long ToTimestamp(TimeSpan time) =>
        (long)(time.Ticks * ((double)TimeProvider.System.TimestampFrequency / TimeSpan.TicksPerSecond));

    private bool RunClocks(ReceiveLoopOwnership role)
    {
        if (_clocks.IsEmpty && _shared is not null)
        {
            return true;
        }

        long now = Now;
        if (now >= _checkAt)
        {
            _checkAt = now + s_checkPeriod;
            CheckFiles();
        }

        while (_clocks.PeekDue(now) is { } clock)
        {
            EpollTransportContext owner = clock.Owner!;
            Begin(owner);
            TimeSpan next = owner.Context.Tick();
            if (!role.ExitAll())
            {
                return false;
            }

            // At least a little later than now, so that a clock that is always due cannot keep the loop from receiving.
            _clocks.Schedule(clock, next == Timeout.InfiniteTimeSpan ? long.MaxValue : Math.Max(Now + ToTimestamp(next), now + 1));
            if (!Flush(role))
            {
                return false;
            }
        }

        return true;
    }

    private int MillisecondsToWait()
    {
        long due = Math.Min(Math.Min(_clocks.NextDue, _checkAt), _shared?.EndsAt ?? long.MaxValue);
        if (due == long.MaxValue)
        {
            return Timeout.Infinite;
        }

        // Rounded up, so the loop does not spin until the time has come.
        long frequency = TimeProvider.System.TimestampFrequency;
        long wait = due - Now;
        return wait <= 0 ? 0 : (int)Int128.Min((((Int128)wait * 1000) + frequency - 1) / frequency, 60_000);
    }

    private Task<LoopClockSchedule?> Ask(Command command)
    {
        _commands.Enqueue(command);
        Signal();
        return command.Done.Task;
    }

    private void DrainEvent()
    {
        ulong count;
        _ = LibC.Read(_event, &count, sizeof(ulong));
    }

    private bool RunCommands(ReceiveLoopOwnership role)
    {
        while (_commands.TryDequeue(out Command? command))
        {
            if (command.Files is { } files)
            {
                Attach(command, files);
            }
            else
            {
                Detach(command);
            }
        }

        // Only the present calls: descriptors that call again wait until others were served.
        for (int i = _calls.Count; i > 0 && _calls.TryDequeue(out EpollWatchedDescriptor? file); i--)
        {
            file.ClearCalled();
            if (!file.Attend(this, role))
            {
                return false;
            }
        }

        if (!_calls.IsEmpty)
        {
            Volatile.Write(ref _signalled, 1);
        }

        return true;
    }

    private void Attach(Command command, (EpollWatchedDescriptor File, SafeHandle Handle)[] files)
    {
        foreach ((EpollWatchedDescriptor file, SafeHandle handle) in files)
        {
            if (!TryAdd(file, handle, LibC.EpollIn))
            {
                command.Done.SetException(
                    new CoapException("The operating system refuses to watch the socket; the limit of epoll watches may be reached."));
                return;
            }
        }

        command.Done.SetResult(command.DrivesClock ? _clocks.Join(command.Owner, Now) : null);
    }

    private void Detach(Command command)
    {
        // Nothing batched is left here: answers leave before commands are checked.
        foreach (EpollWatchedDescriptor file in _files.Of(command.Owner))
        {
            file.Detach(this);
        }

        if (command.Clock is { } clock)
        {
            _clocks.Leave(clock);
        }

        if (_active == command.Owner)
        {
            Volatile.Write(ref _active, null);
        }

        command.Done.SetResult(null);
    }

    private void CheckFiles()
    {
        foreach (EpollWatchedDescriptor? file in _files.Slots)
        {
            if (file?.Check(this) is { } error and not 0)
            {
                // Ends the endpoint on another thread, which later notifies the loop.
                file.OnLost(error);
            }
        }
    }

    private bool Control(int operation, SafeHandle handle, uint events, long id)
    {
        byte* at = stackalloc byte[16];
        EpollEvent wanted = new(at);
        wanted.Events = events;
        wanted.Data = id;
        return LibC.ControlEpoll(_epoll, operation, handle, at) == 0;
    }

    private sealed record Command(
        EpollTransportContext Owner, (EpollWatchedDescriptor File, SafeHandle Handle)[]? Files, bool DrivesClock, LoopClockSchedule? Clock)
    {
        public TaskCompletionSource<LoopClockSchedule?> Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
