namespace CoAP.NET.Transports;

/// <summary>
/// A TCP connection that a loop reads. Sending is for all threads, under the gate; <see cref="ConnectionFile"/> is the loop's side of it. The descriptor is closed by the loop only, under the
/// gate, so that nobody uses it afterwards.
/// </summary>
internal sealed unsafe partial class LinuxTcpConnection : CoapConnection
{
    private readonly Lock _gate = new();
    private readonly SocketHandle _handle;
    private readonly EpollLoop _loop;
    private readonly int _queueBytes;
    private readonly int _maxQueueBytes;
    private long _framesReceived;
    private long _partialLength;
    private long _partialReceived;
    private int _pauses;

    // Guarded by the gate.
    private uint _watched;
    private bool _isWatched;
    private bool _isReadingOff;
    private bool _hasHeldBack;

    public LinuxTcpConnection(LinuxTcpEngine engine, EpollLoop loop, SocketHandle handle, in CoapAddress remote, in CoapAddress local, bool isInitiator)
        : base(engine.Transport, remote, local, isInitiator)
    {
        Engine = engine;
        _loop = loop;
        _handle = handle;
        _queueBytes = engine.Context.Limits.SendQueueBytes;
        _maxQueueBytes = engine.Context.Limits.MaxSendQueueBytes;
        File = new ConnectionFile(this);
    }

    public LinuxTcpEngine Engine { get; }

    public EpollLoop Loop => _loop;

    /// <summary>The loop's side of it.</summary>
    public ConnectionFile File { get; }

    /// <summary>For the loop, which is also the one that closes it.</summary>
    public int Descriptor => _handle.Descriptor;

    public override bool IsCongested => Volatile.Read(ref _isCongested);

    public override CoapConnectionProgress Progress =>
        new(Volatile.Read(ref _framesReceived), Volatile.Read(ref _partialLength), Volatile.Read(ref _bytesSent), Volatile.Read(ref _waiting)) { PartialReceived = Volatile.Read(ref _partialReceived) };

    internal override long Backlog => _backlog.Told;

    /// <summary>Whether nothing is to be read for now.</summary>
    public bool IsPaused => Volatile.Read(ref _pauses) > 0;

    /// <summary>Whether it is to be closed, or broke.</summary>
    public bool IsClosing => Volatile.Read(ref _isClosing);

    /// <summary>Whether the last frame was given to it: what comes in means nothing any more.</summary>
    public bool IsEnding => Volatile.Read(ref _isEnding);

    /// <summary>Whether its descriptor is closed.</summary>
    public bool IsFinished { get; private set; }

    /// <summary>Whether it is closed although nothing is wrong, so that what is under way to the peer should arrive.</summary>
    public bool IsOrderly => !_hasFailed && _reason is null or CoapConnectionException { Error: CoapConnectionError.ClosedByUs };

    public override void PauseReading() => Interlocked.Increment(ref _pauses);

    public override void ResumeReading()
    {
        if (Interlocked.Decrement(ref _pauses) != 0)
        {
            return;
        }

        bool calls;
        lock (_gate)
        {
            calls = _isReadingOff || _hasHeldBack;
        }

        if (calls)
        {
            _loop.Call(File);
        }
    }

    public override void Close(CoapException? reason)
    {
        lock (_gate)
        {
            if (_isClosing)
            {
                return;
            }

            _isClosing = true;
            _reason = reason;
        }

        _loop.Call(File);
    }

    /// <summary>A frame was cut.</summary>
    public void CountFrame() => Volatile.Write(ref _framesReceived, _framesReceived + 1);

    /// <summary>Tells of how long a frame only a part is there, and how much of it.</summary>
    public void ShowPartial(long length, long received)
    {
        if (_partialLength != length || _partialReceived != received)
        {
            Volatile.Write(ref _partialReceived, received);
            Volatile.Write(ref _partialLength, length);
        }
    }

    /// <summary>Begins to be watched by the loop. Only for the thread that holds its role, as are all below.</summary>
    /// <returns>False when the operating system does not do it.</returns>
    public bool TryWatch()
    {
        lock (_gate)
        {
            if (!_isWatched && !IsFinished)
            {
                _watched = Wanted();
                _isWatched = _loop.TryAdd(File, _handle, _watched);
            }

            return _isWatched;
        }
    }

    /// <summary>Reading is paused, or has ended: the operating system need not tell what there is to read.</summary>
    /// <returns>False when the pause is over already, so that there may be something to read.</returns>
    public bool TryStopWatchingReads(bool forGood)
    {
        lock (_gate)
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
        lock (_gate)
        {
            _isReadingOff = false;
            Watch();
        }
    }

    /// <summary>Frames that were read are held back, while reading is paused or until the next turn.</summary>
    /// <returns>Whether the caller sees to it that there is one; false: the end of the pause does.</returns>
    public bool HoldBack()
    {
        lock (_gate)
        {
            _hasHeldBack = true;
            return _pauses == 0;
        }
    }

    /// <summary>Whether frames were held back, once.</summary>
    public bool TakeHeldBack()
    {
        lock (_gate)
        {
            bool had = _hasHeldBack;
            _hasHeldBack = false;
            return had;
        }
    }

    /// <summary>Closes the descriptor.</summary>
    /// <param name="error">Why; null for an orderly end.</param>
    /// <returns>False when it was closed before.</returns>
    public bool TryFinish(out Exception? error)
    {
        lock (_gate)
        {
            // What the peer was told last is all that there is to say.
            error = _isShut ? null : _reason;
            if (IsFinished)
            {
                return false;
            }

            if (IsOrderly)
            {
                // As much as goes at once.
                SendQueued();
            }

            IsFinished = _isClosing = true;
            _queue?.Clear();
            _queue = null;
            Volatile.Write(ref _waiting, 0);
            if (_isWatched)
            {
                _loop.Remove(File, _handle);
                _isWatched = false;
            }

            _handle.Dispose();
            return true;
        }
    }

    // What is being collected is sent before what waits; whether there is room shows then.
    // Told at edges only: a read that fills less than its room, and a send that is cut short, have the next one told. Otherwise the kernel looks at each busy connection twice a turn.
    // Whoever has an edge and does not read owes another turn, or changes what is watched, which makes the kernel look again.
    private uint Wanted() => LibC.EpollEdge | (_isReadingOff ? 0 : LibC.EpollIn | LibC.EpollReadHangUp) | (_waiting > 0 && !_isCollecting ? LibC.EpollOut : 0);

    private void Watch()
    {
        uint wanted = Wanted();
        if (_isWatched && wanted != _watched)
        {
            _watched = wanted;
            _loop.Change(File, _handle, wanted);
        }
    }
}
