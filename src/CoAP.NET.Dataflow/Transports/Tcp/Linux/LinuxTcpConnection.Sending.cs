namespace CoAP.NET.Transports;

// What leaves. On the loop's thread, while it serves this connection, frames are collected and leave with one send; elsewhere they leave at once when nothing waits. What the operating system
// does not take waits in order.
internal sealed unsafe partial class LinuxTcpConnection
{
    // Guarded by the gate.
    private SendQueue? _queue;
    private int _waiting;
    private long _bytesSent;
    private bool _isCollecting;
    private bool _isCongested;
    private bool _isEnding;
    private bool _isShut;
    private bool _isClosing;
    private bool _hasFailed;
    private bool _tellsWritable;
    private Backlog _backlog;
    private CoapException? _reason;

    /// <summary>Whether something waits to be sent, so that whatever comes must wait behind it.</summary>
    public bool HasWaiting => Volatile.Read(ref _waiting) > 0;

    /// <summary>Whether the last frame has left.</summary>
    public bool IsShut => Volatile.Read(ref _isShut);

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

        SendDirectly(frame);
    }

    /// <summary>Begins to collect frames, which others than the loop's thread must wait for.</summary>
    /// <returns>False when it cannot be, as something waits already.</returns>
    public bool TryBeginCollecting()
    {
        lock (_gate)
        {
            return _isCollecting = _waiting == 0 && !_isEnding && !_isClosing;
        }
    }

    /// <summary>Sends what was collected.</summary>
    public void SendCollected(byte* bytes, int length)
    {
        bool calls;
        bool tells;
        lock (_gate)
        {
            _isCollecting = false;
            if (IsFinished || _hasFailed)
            {
                return;
            }

            int sent = TrySend(bytes, length);
            if (sent < length && !_hasFailed)
            {
                (_queue ??= new SendQueue()).Prepend(new ReadOnlySpan<byte>(bytes + sent, length - sent));
            }
            else if (_queue is not null)
            {
                SendQueued();
            }

            calls = AfterSending(out tells);
        }

        Tell(calls, tells);
    }

    /// <summary>The peer takes bytes again.</summary>
    public void SendWaiting()
    {
        bool calls;
        bool tells;
        lock (_gate)
        {
            if (IsFinished || _hasFailed || _isCollecting)
            {
                return;
            }

            SendQueued();
            calls = AfterSending(out tells);
        }

        Tell(calls, tells);
    }

    /// <summary>Whether the mesh is to be told that there is room again, once.</summary>
    public bool TakeWritable()
    {
        lock (_gate)
        {
            bool tells = _tellsWritable;
            _tellsWritable = false;
            return tells;
        }
    }

    /// <summary>It broke.</summary>
    /// <param name="error">What the operating system says; 0 when it says nothing.</param>
    public void Fail(int error)
    {
        lock (_gate)
        {
            SetFailed(error);
        }

        _loop.Call(File);
    }

    private void SendDirectly(CoapDatagram frame)
    {
        bool calls = true;
        bool tells = false;
        lock (_gate)
        {
            if (_isClosing || _isEnding)
            {
                frame.Dispose();
                return;
            }

            if (_waiting > _maxQueueBytes)
            {
                Engine.Context.Counters.Add(CoapCounter.SlowConnections);
                _isClosing = true;
                _reason = new CoapConnectionException(
                    CoapConnectionError.TooSlow, $"{this} does not take what is sent to it: {_waiting} bytes wait (MaxSendQueueBytes).");
                frame.Dispose();
            }
            else
            {
                Volatile.Write(ref _isEnding, _isEnding | frame.IsLast);
                SendOrQueue(frame);
                calls = AfterSending(out tells);
            }
        }

        Tell(calls, tells);
    }

    // After the lock.
    private void Tell(bool calls, bool tells)
    {
        if (calls)
        {
            _loop.Call(File);
        }

        if (tells)
        {
            Engine.Context.BacklogChanged(this);
        }
    }

    private void SendOrQueue(CoapDatagram frame)
    {
        int sent = 0;
        if (!_isCollecting && _waiting == 0)
        {
            fixed (byte* bytes = frame.Buffer)
            {
                sent = TrySend(bytes + frame.Offset, frame.Length);
            }
        }

        if (sent == frame.Length || _hasFailed)
        {
            frame.Dispose();
        }
        else
        {
            (_queue ??= new SendQueue()).Add(frame, sent);
        }
    }

    private void SendQueued()
    {
        while (_queue is { Length: > 0 } queue)
        {
            ReadOnlySpan<byte> next = queue.Peek();
            int sent;
            fixed (byte* bytes = next)
            {
                sent = TrySend(bytes, next.Length);
            }

            if (_hasFailed)
            {
                return;
            }

            bool isFull = sent < next.Length;
            if (sent > 0)
            {
                queue.Skip(sent);
            }

            if (isFull)
            {
                return;
            }
        }
    }

    /// <summary>Brings everything up to date with what waits.</summary>
    /// <param name="tells">Whether the endpoint is to be told how much waits, after the lock.</param>
    /// <returns>Whether the loop has to look after the connection.</returns>
    private bool AfterSending(out bool tells)
    {
        tells = false;
        int waiting = _queue?.Length ?? 0;
        if (waiting == 0)
        {
            _queue = null;
        }

        if (_hasFailed)
        {
            return true;
        }

        Volatile.Write(ref _waiting, waiting);
        tells = _backlog.MustTell(waiting, _bytesSent);
        bool calls = false;
        if (waiting > _queueBytes && !_isCongested)
        {
            Volatile.Write(ref _isCongested, true);
            Interlocked.Increment(ref _pauses);
            Engine.Context.Counters.Add(CoapCounter.ReadingPauses);
        }
        else if (_isCongested && waiting < _queueBytes / 2)
        {
            // The mark is gone before the mesh is told: what it holds back from here on is seen by that call.
            Volatile.Write(ref _isCongested, false);
            Interlocked.Decrement(ref _pauses);
            calls = _tellsWritable = true;
        }

        if (waiting == 0 && _isEnding && !_isShut && !_isCollecting)
        {
            _ = LibC.Shutdown(Descriptor, LibC.ShutdownSend);
            Volatile.Write(ref _isShut, true);
            calls = true;
        }

        Watch();
        return calls;
    }

    /// <summary>Sends without waiting.</summary>
    /// <returns>How much was taken; 0 also after a failure, see <see cref="_hasFailed"/>.</returns>
    private int TrySend(byte* bytes, int length)
    {
        while (true)
        {
            nint sent = LibC.Send(Descriptor, bytes, (nuint)length, LibC.DontWait | LibC.NoSignal);
            if (sent >= 0)
            {
                Volatile.Write(ref _bytesSent, _bytesSent + sent);
                return (int)sent;
            }

            int error = (int)-sent;
            switch (error)
            {
                case LibC.EINTR:
                    break;
                case LibC.EAGAIN:
                    return 0;
                case LibC.ENOBUFS or LibC.ENOMEM:
                    // There is room in the socket, of which the kernel has told before: it is to look again.
                    _watched = 0;
                    return 0;
                default:
                    SetFailed(error);
                    return 0;
            }
        }
    }

    private void SetFailed(int error)
    {
        if (_hasFailed)
        {
            return;
        }

        _hasFailed = true;
        if (!_isClosing)
        {
            Volatile.Write(ref _isClosing, true);
            Exception cause = LinuxErrors.ToException(error);
            _reason = new CoapConnectionException(CoapConnectionError.Lost, $"The connection to {this} broke: {cause.Message}.", cause);
        }
    }
}
