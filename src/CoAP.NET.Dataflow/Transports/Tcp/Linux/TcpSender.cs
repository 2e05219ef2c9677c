namespace CoAP.NET.Transports;

/// <summary>
/// What leaves on a <see cref="LinuxTcpConnection"/>. On the loop's thread, while it serves this connection, frames are collected and leave
/// with one send; elsewhere they leave at once when nothing waits. What the operating system does not take waits in order. Guarded by the
/// gate of the connection.
/// </summary>
internal sealed unsafe class TcpSender(LinuxTcpConnection connection)
{
    private readonly CoapLimits _limits = connection.Engine.Context.Limits;
    private SendQueue? _queue;
    private int _waiting;
    private long _bytesSent;
    private bool _isCollecting;
    private bool _isCongested;
    private bool _isEnding;
    private bool _isShut;
    private bool _tellsWritable;
    private Backlog _backlog;

    /// <summary>
    /// Whether something waits to be sent, so that whatever comes must wait behind it. For any thread, as are those until <see
    /// cref="Backlog"/>.
    /// </summary>
    public bool HasWaiting => Volatile.Read(ref _waiting) > 0;

    /// <summary>How many bytes wait.</summary>
    public int Waiting => Volatile.Read(ref _waiting);

    /// <summary>How many bytes the operating system took.</summary>
    public long BytesSent => Volatile.Read(ref _bytesSent);

    /// <summary>Whether more waits than is good.</summary>
    public bool IsCongested => Volatile.Read(ref _isCongested);

    /// <summary>Whether the last frame was given: what comes in means nothing any more.</summary>
    public bool IsEnding => Volatile.Read(ref _isEnding);

    /// <summary>Whether the last frame has left.</summary>
    public bool IsShut => Volatile.Read(ref _isShut);

    /// <summary>How many bytes the endpoint was told of.</summary>
    public long Backlog => _backlog.Told;

    /// <summary>
    /// Whether the loop is to tell when there is room. What is being collected is sent before what waits; whether there is room shows then.
    /// </summary>
    public bool WantsRoom => _waiting > 0 && !_isCollecting;

    /// <summary>Sends a frame after those that were given before, and takes it over.</summary>
    public void Send(CoapDatagram frame)
    {
        bool calls = true;
        bool tells = false;
        lock (connection.Gate)
        {
            if (connection.IsClosing || _isEnding)
            {
                frame.Dispose();
                return;
            }

            if (_waiting > _limits.MaxSendQueueBytes)
            {
                connection.Engine.Context.Counters.Add(CoapCounter.SlowConnections);
                connection.SetClosing(new CoapConnectionException(
                    CoapConnectionError.TooSlow,
                    $"{connection} does not take what is sent to it: {_waiting} bytes wait (MaxSendQueueBytes)."));
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

    /// <summary>Begins to collect frames, which others than the loop's thread must wait for.</summary>
    /// <returns>False when it cannot be, as something waits already.</returns>
    public bool TryBeginCollecting()
    {
        lock (connection.Gate)
        {
            return _isCollecting = _waiting == 0 && !_isEnding && !connection.IsClosing;
        }
    }

    /// <summary>Sends what was collected.</summary>
    public void SendCollected(byte* bytes, int length)
    {
        bool calls;
        bool tells;
        lock (connection.Gate)
        {
            _isCollecting = false;
            if (connection.IsFinished || connection.HasFailed)
            {
                return;
            }

            int sent = TrySend(bytes, length);
            if (sent < length && !connection.HasFailed)
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
        lock (connection.Gate)
        {
            if (connection.IsFinished || connection.HasFailed || _isCollecting)
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
        lock (connection.Gate)
        {
            bool tells = _tellsWritable;
            _tellsWritable = false;
            return tells;
        }
    }

    /// <summary>Sends as much as goes at once. Under the gate.</summary>
    public void SendAtOnce() => SendQueued();

    /// <summary>Drops what waits, as the connection is closed. Under the gate.</summary>
    public void Clear()
    {
        _queue?.Clear();
        _queue = null;
        Volatile.Write(ref _waiting, 0);
    }

    // After the lock.
    private void Tell(bool calls, bool tells)
    {
        if (calls)
        {
            connection.Call();
        }

        if (tells)
        {
            connection.Engine.Context.BacklogChanged(connection);
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

        if (sent == frame.Length || connection.HasFailed)
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
            ReadOnlySpan<byte> next = queue.Peek().Span;
            int sent;
            fixed (byte* bytes = next)
            {
                sent = TrySend(bytes, next.Length);
            }

            if (connection.HasFailed)
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

        if (connection.HasFailed)
        {
            return true;
        }

        Volatile.Write(ref _waiting, waiting);
        tells = _backlog.MustTell(_queue?.Held ?? 0, _bytesSent);
        bool calls = false;
        if (waiting > _limits.SendQueueBytes && !_isCongested)
        {
            Volatile.Write(ref _isCongested, true);
            connection.PauseReading();
            connection.Engine.Context.Counters.Add(CoapCounter.ReadingPauses);
        }
        else if (_isCongested && waiting < _limits.SendQueueBytes / 2)
        {
            // The mark is gone before the mesh is told: what it holds back from here on is seen by that call.
            Volatile.Write(ref _isCongested, false);
            connection.EndPause();
            calls = _tellsWritable = true;
        }

        if (waiting == 0 && _isEnding && !_isShut && !_isCollecting)
        {
            _ = LibC.Shutdown(connection.Descriptor, LibC.ShutdownSend);
            Volatile.Write(ref _isShut, true);
            calls = true;
        }

        connection.Watch();
        return calls;
    }

    /// <summary>Sends without waiting.</summary>
    /// <returns>How much was taken; 0 also after a failure, see <see cref="LinuxTcpConnection.HasFailed"/>.</returns>
    private int TrySend(byte* bytes, int length)
    {
        while (true)
        {
            nint sent = LibC.Send(connection.Descriptor, bytes, (nuint)length, LibC.DontWait | LibC.NoSignal);
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
                    connection.WatchAnew();
                    return 0;
                default:
                    connection.SetFailed(error);
                    return 0;
            }
        }
    }
}
