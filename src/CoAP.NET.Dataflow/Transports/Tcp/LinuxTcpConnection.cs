using CoAP.NET.Transports.Loops;

namespace CoAP.NET.Transports.Tcp;

/// <summary>
/// A TCP connection that a loop reads. Sending is thread-safe, under the gate; <see cref="EpollWatchedConnection"/> is the loop's side of
/// it. Only the loop closes the descriptor, under the gate, so no thread uses it afterwards.
/// </summary>
internal sealed class LinuxTcpConnection : CoapConnection
{
    private readonly SocketHandle _handle;
    private readonly EpollLoop _loop;
    private long _framesReceived;
    private long _partialLength;
    private long _partialReceived;
    private int _pauses;

    // Guarded by the gate.
    private uint _watched;
    private bool _isWatched;
    private bool _isReadingOff;
    private bool _hasDeferredFrames;
    private bool _isClosing;
    private CoapException? _reason;

    public LinuxTcpConnection(
        LinuxTcpEngine engine, EpollLoop loop, SocketHandle handle, in CoapAddress remote, in CoapAddress local, bool isInitiator)
        : base(engine.Transport, remote, local, isInitiator)
    {
        Engine = engine;
        _loop = loop;
        _handle = handle;
        File = new EpollWatchedConnection(this);
        Sender = new TcpSender(this);
    }

    /// <summary>The lock of the connection and its sender.</summary>
    public Lock Gate { get; } = new();

    public LinuxTcpEngine Engine { get; }

    public EpollWatchedConnection File { get; }

    /// <summary>For the loop, which also closes it.</summary>
    public int Descriptor => _handle.Descriptor;

    public TcpSender Sender { get; }

    public override bool IsCongested => Sender.IsCongested;

    public override CoapConnectionTransferProgress Progress =>
        new(Volatile.Read(ref _framesReceived), Volatile.Read(ref _partialLength), Sender.BytesSent, Sender.Waiting)
        {
            PartialReceived = Volatile.Read(ref _partialReceived),
        };

    public override long Backlog => Sender.Backlog;

    /// <summary>Whether reading is paused.</summary>
    public bool IsPaused => Volatile.Read(ref _pauses) > 0;

    /// <summary>Whether it must be closed, or has failed.</summary>
    public bool IsClosing => Volatile.Read(ref _isClosing);

    /// <summary>Whether it has failed. Guarded by the gate.</summary>
    public bool HasFailed { get; private set; }

    /// <summary>Whether its descriptor is closed.</summary>
    public bool IsFinished { get; private set; }

    /// <summary>Whether it closes without an error, so that data in transit to the peer should arrive.</summary>
    public bool IsOrderly => !HasFailed && _reason is null or CoapConnectionException { Error: CoapError.ClosedLocally };

    public override void Send(CoapDatagram frame)
    {
        ArgumentNullException.ThrowIfNull(frame);
        if (UserCodeScope.Role is ReceiveLoopOwnership role && role.Loop == _loop && role.BlockHandOver(out bool pinned))
        {
            bool taken = _loop.Tcp.TryCollect(this, frame);
            if (pinned)
            {
                role.Unpin();
            }

            if (taken)
            {
                return;
            }
        }

        Sender.Send(frame);
    }

    public override void PauseReading() => Interlocked.Increment(ref _pauses);

    public override void ResumeReading()
    {
        if (Interlocked.Decrement(ref _pauses) != 0)
        {
            return;
        }

        bool calls;
        lock (Gate)
        {
            calls = _isReadingOff || _hasDeferredFrames;
        }

        if (calls)
        {
            _loop.Call(File);
        }
    }

    public override void Close(CoapException? reason)
    {
        lock (Gate)
        {
            if (_isClosing)
            {
                return;
            }

            SetClosing(reason);
        }

        _loop.Call(File);
    }

    /// <summary>Handles a failure.</summary>
    /// <param name="error">The error of the operating system; 0 for none.</param>
    public void Fail(int error)
    {
        lock (Gate)
        {
            SetFailed(error);
        }

        Call();
    }

    /// <summary>Makes the loop attend to it.</summary>
    public void Call() => _loop.Call(File);

    /// <summary>Marks it as closing. Under the gate.</summary>
    public void SetClosing(CoapException? reason)
    {
        // In this order: the loop sees the mark without the gate, and then asks whether the end is orderly.
        _reason = reason;
        Volatile.Write(ref _isClosing, true);
    }

    /// <summary>Marks it as failed. Under the gate.</summary>
    public void SetFailed(int error)
    {
        if (HasFailed)
        {
            return;
        }

        HasFailed = true;
        if (!_isClosing)
        {
            Exception cause = LinuxErrors.ToException(error);
            SetClosing(new CoapConnectionException(CoapError.Lost, $"The connection to {this} broke: {cause.Message}.", cause));
        }
    }

    /// <summary>Resumes reading because there is room to send again; the caller calls the loop.</summary>
    public void EndPause() => Interlocked.Decrement(ref _pauses);

    /// <summary>Makes the kernel check again whether there is room. Under the gate.</summary>
    public void RestartWatch() => _watched = 0;

    public void CountFrame() => Volatile.Write(ref _framesReceived, _framesReceived + 1);

    /// <summary>Publishes the length and the available bytes of the partial frame.</summary>
    public void ShowPartial(long length, long received)
    {
        if (_partialLength != length || _partialReceived != received)
        {
            Volatile.Write(ref _partialReceived, received);
            Volatile.Write(ref _partialLength, length);
        }
    }

    /// <summary>Starts to be watched by the loop. Only for the thread that holds its role, as are all members below.</summary>
    /// <returns>False when the operating system refuses.</returns>
    public bool TryWatch()
    {
        lock (Gate)
        {
            if (!_isWatched && !IsFinished)
            {
                _watched = Wanted();
                _isWatched = _loop.TryAdd(File, _handle, _watched);
            }

            return _isWatched;
        }
    }

    /// <summary>Stops watching for input, because reading is paused or has ended.</summary>
    /// <returns>False when the pause is already over, so there may be input.</returns>
    public bool TryStopWatchingReads(bool forGood)
    {
        lock (Gate)
        {
            if (!forGood && _pauses == 0)
            {
                return false;
            }

            _isReadingOff = true;
            Watch();
            return true;
        }
    }

    public void WatchReads()
    {
        lock (Gate)
        {
            _isReadingOff = false;
            Watch();
        }
    }

    /// <summary>Holds back frames that were read, while reading is paused or until the next turn.</summary>
    /// <returns>Whether the caller must schedule the next turn; if false, the end of the pause does.</returns>
    public bool DeferFrames()
    {
        lock (Gate)
        {
            _hasDeferredFrames = true;
            return _pauses == 0;
        }
    }

    /// <summary>Returns whether frames were held back, and clears the mark.</summary>
    public bool TakeDeferredFrames()
    {
        lock (Gate)
        {
            bool had = _hasDeferredFrames;
            _hasDeferredFrames = false;
            return had;
        }
    }

    /// <summary>Closes the descriptor.</summary>
    /// <param name="error">The error; null for an orderly end.</param>
    /// <returns>False when it was already closed.</returns>
    public bool TryFinish(out Exception? error)
    {
        lock (Gate)
        {
            // The last message to the peer is the whole reason.
            error = Sender.IsShut ? null : _reason;
            if (IsFinished)
            {
                return false;
            }

            if (IsOrderly)
            {
                // As much as possible without waiting.
                Sender.SendAtOnce();
            }

            IsFinished = _isClosing = true;
            Sender.Clear();
            if (_isWatched)
            {
                _loop.Remove(File, _handle);
                _isWatched = false;
            }

            _handle.Dispose();
            return true;
        }
    }

    /// <summary>Makes the kernel watch the wanted events. Under the gate.</summary>
    public void Watch()
    {
        uint wanted = Wanted();
        if (_isWatched && wanted != _watched)
        {
            _watched = wanted;
            _loop.Change(File, _handle, wanted);
        }
    }

    // Edge-triggered: after a read that fills less than its room, or a short send, the kernel reports the next event. Otherwise the kernel
    // would check each busy connection twice per turn. Code that gets an edge and does not read must schedule another turn, or change the
    // watched events, which makes the kernel check again.
    private uint Wanted() =>
        LibC.EpollEdge | (_isReadingOff ? 0 : LibC.EpollIn | LibC.EpollReadHangUp) | (Sender.WantsRoom ? LibC.EpollOut : 0);
}
