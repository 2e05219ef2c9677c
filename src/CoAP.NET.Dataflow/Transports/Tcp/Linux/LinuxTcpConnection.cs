namespace CoAP.NET.Transports;

/// <summary>
/// A TCP connection that a loop reads. Sending is for all threads, under the gate; <see cref="ConnectionFile"/> is the loop's side of it.
/// The descriptor is closed by the loop only, under the gate, so that nobody uses it afterwards.
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
    private bool _hasHeldBack;
    private bool _isClosing;
    private CoapException? _reason;

    public LinuxTcpConnection(
        LinuxTcpEngine engine, EpollLoop loop, SocketHandle handle, in CoapAddress remote, in CoapAddress local, bool isInitiator)
        : base(engine.Transport, remote, local, isInitiator)
    {
        Engine = engine;
        _loop = loop;
        _handle = handle;
        File = new ConnectionFile(this);
        Sender = new TcpSender(this);
    }

    /// <summary>The lock of the connection and its sender.</summary>
    public Lock Gate { get; } = new();

    public LinuxTcpEngine Engine { get; }

    public EpollLoop Loop => _loop;

    /// <summary>The loop's side of it.</summary>
    public ConnectionFile File { get; }

    /// <summary>For the loop, which is also the one that closes it.</summary>
    public int Descriptor => _handle.Descriptor;

    /// <summary>What leaves on it.</summary>
    public TcpSender Sender { get; }

    public override bool IsCongested => Sender.IsCongested;

    public override CoapConnectionProgress Progress =>
        new(Volatile.Read(ref _framesReceived), Volatile.Read(ref _partialLength), Sender.BytesSent, Sender.Waiting)
        {
            PartialReceived = Volatile.Read(ref _partialReceived),
        };

    public override long Backlog => Sender.Backlog;

    /// <summary>Whether nothing is to be read for now.</summary>
    public bool IsPaused => Volatile.Read(ref _pauses) > 0;

    /// <summary>Whether it is to be closed, or broke.</summary>
    public bool IsClosing => Volatile.Read(ref _isClosing);

    /// <summary>Whether it broke. Guarded by the gate.</summary>
    public bool HasFailed { get; private set; }

    /// <summary>Whether its descriptor is closed.</summary>
    public bool IsFinished { get; private set; }

    /// <summary>Whether it is closed although nothing is wrong, so that what is under way to the peer should arrive.</summary>
    public bool IsOrderly => !HasFailed && _reason is null or CoapConnectionException { Error: CoapConnectionError.ClosedByUs };

    public override void Send(CoapDatagram frame)
    {
        ArgumentNullException.ThrowIfNull(frame);
        if (UserCode.Role is ReceiveRole role && role.Loop == _loop && role.TryPin(out bool pinned))
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
            calls = _isReadingOff || _hasHeldBack;
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

            _isClosing = true;
            _reason = reason;
        }

        _loop.Call(File);
    }

    /// <summary>It broke.</summary>
    /// <param name="error">What the operating system says; 0 when it says nothing.</param>
    public void Fail(int error)
    {
        lock (Gate)
        {
            SetFailed(error);
        }

        Call();
    }

    /// <summary>The loop has to look after it.</summary>
    public void Call() => _loop.Call(File);

    /// <summary>It is to be closed. Under the gate.</summary>
    public void SetClosing(CoapException reason)
    {
        Volatile.Write(ref _isClosing, true);
        _reason = reason;
    }

    /// <summary>It broke. Under the gate.</summary>
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
            SetClosing(new CoapConnectionException(CoapConnectionError.Lost, $"The connection to {this} broke: {cause.Message}.", cause));
        }
    }

    /// <summary>Reading goes on, as there is room to send again; the loop is called for it by the caller.</summary>
    public void EndPause() => Interlocked.Decrement(ref _pauses);

    /// <summary>The kernel is to look again whether there is room. Under the gate.</summary>
    public void WatchAnew() => _watched = 0;

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

    /// <summary>Reading is paused, or has ended: the operating system need not tell what there is to read.</summary>
    /// <returns>False when the pause is over already, so that there may be something to read.</returns>
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

    /// <summary>Frames that were read are held back, while reading is paused or until the next turn.</summary>
    /// <returns>Whether the caller sees to it that there is one; false: the end of the pause does.</returns>
    public bool HoldBack()
    {
        lock (Gate)
        {
            _hasHeldBack = true;
            return _pauses == 0;
        }
    }

    /// <summary>Whether frames were held back, once.</summary>
    public bool TakeHeldBack()
    {
        lock (Gate)
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
        lock (Gate)
        {
            // What the peer was told last is all that there is to say.
            error = Sender.IsShut ? null : _reason;
            if (IsFinished)
            {
                return false;
            }

            if (IsOrderly)
            {
                // As much as goes at once.
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

    /// <summary>Has the kernel watch what is wanted now. Under the gate.</summary>
    public void Watch()
    {
        uint wanted = Wanted();
        if (_isWatched && wanted != _watched)
        {
            _watched = wanted;
            _loop.Change(File, _handle, wanted);
        }
    }

    // Told at edges only: a read that fills less than its room, and a send that is cut short, have the next one told. Otherwise the kernel
    // looks at each busy connection twice a turn. Whoever has an edge and does not read owes another turn, or changes what is watched,
    // which makes the kernel look again.
    private uint Wanted() =>
        LibC.EpollEdge | (_isReadingOff ? 0 : LibC.EpollIn | LibC.EpollReadHangUp) | (Sender.WantsRoom ? LibC.EpollOut : 0);
}
