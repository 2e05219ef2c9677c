using CoAP.NET.Transports.Loops;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Transports.Tcp;

/// <summary>
/// The output of a <see cref="LinuxTcpConnection"/>. On the loop's thread, while it serves this connection, frames are collected and sent
/// together. On other threads they are sent at once if nothing waits. Bytes that the operating system does not take wait in order. Guarded
/// by the gate of the connection.
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
    private SendBacklogReporter _backlog;

    /// <summary>
    /// Whether output waits, so further output must wait behind it. Thread-safe, as are the members up to <see cref="Backlog"/>.
    /// </summary>
    public bool HasWaiting => Volatile.Read(ref _waiting) > 0;

    /// <summary>The number of waiting bytes.</summary>
    public int Waiting => Volatile.Read(ref _waiting);

    /// <summary>The number of bytes that the operating system took.</summary>
    public long BytesSent => Volatile.Read(ref _bytesSent);

    /// <summary>Whether the backlog exceeds its limit.</summary>
    public bool IsCongested => Volatile.Read(ref _isCongested);

    /// <summary>Whether the last frame was queued: further input is ignored.</summary>
    public bool IsEnding => Volatile.Read(ref _isEnding);

    /// <summary>Whether the last frame was sent.</summary>
    public bool IsShut => Volatile.Read(ref _isShut);

    /// <summary>The number of bytes reported to the endpoint.</summary>
    public long Backlog => _backlog.Reported;

    /// <summary>
    /// Whether the loop must report room. Collected frames are sent before waiting ones; only then it is known whether there is room.
    /// </summary>
    public bool WantsRoom => _waiting > 0 && !_isCollecting;

    /// <summary>Queues a frame behind earlier ones, and takes it over.</summary>
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

            if (_waiting > _limits.Connections.MaxSendQueueSize)
            {
                connection.Engine.Context.Counters.Add(CoapCounter.SlowConnections);
                connection.SetClosing(new CoapConnectionException(
                    CoapError.TooSlow,
                    $"{connection} does not accept the data sent to it: {_waiting} bytes wait (Connections.MaxSendQueueSize)."));
                frame.Dispose();
            }
            else
            {
                Volatile.Write(ref _isEnding, _isEnding | frame.IsLast);
                SendOrQueue(frame);
                calls = AfterSending(out tells);
            }
        }

        Report(calls, tells);
    }

    /// <summary>Starts to collect frames; threads other than the loop's must wait for it.</summary>
    /// <returns>False when output already waits.</returns>
    public bool TryBeginCollecting()
    {
        lock (connection.Gate)
        {
            return _isCollecting = _waiting == 0 && !_isEnding && !connection.IsClosing;
        }
    }

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

        Report(calls, tells);
    }

    /// <summary>Sends waiting output when the peer accepts bytes again.</summary>
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

        Report(calls, tells);
    }

    /// <summary>Whether to report room to the mesh, once.</summary>
    public bool TakeWritable()
    {
        lock (connection.Gate)
        {
            bool tells = _tellsWritable;
            _tellsWritable = false;
            return tells;
        }
    }

    /// <summary>Sends as much as possible without waiting. Under the gate.</summary>
    public void SendAtOnce() => SendQueued();

    /// <summary>Drops waiting output of a closed connection. Under the gate.</summary>
    public void Clear()
    {
        _queue?.Clear();
        _queue = null;
        Volatile.Write(ref _waiting, 0);
    }

    // After the lock.
    private void Report(bool calls, bool tells)
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

    /// <summary>Updates the state after a change of the waiting output.</summary>
    /// <param name="tells">Whether to report the backlog to the endpoint, after the lock.</param>
    /// <returns>Whether the loop must attend to the connection.</returns>
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
        tells = _backlog.MustReport(_queue?.QueuedBytes ?? 0, _bytesSent);
        bool calls = false;
        if (waiting > _limits.Connections.SendQueueSize && !_isCongested)
        {
            Volatile.Write(ref _isCongested, true);
            connection.PauseReading();
            connection.Engine.Context.Counters.Add(CoapCounter.ReadingPauses);
        }
        else if (_isCongested && waiting < _limits.Connections.SendQueueSize / 2)
        {
            // The mark is cleared before the mesh is notified: that call sees what the mesh holds back from here on.
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
    /// <returns>The number of accepted bytes; 0 also after a failure, see <see cref="LinuxTcpConnection.HasFailed"/>.</returns>
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
                    // The socket has room that the kernel already reported: it must check again.
                    connection.RestartWatch();
                    return 0;
                default:
                    connection.SetFailed(error);
                    return 0;
            }
        }
    }
}
