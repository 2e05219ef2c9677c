using System.Net;
using System.Net.Sockets;
using CoAP.NET;

namespace Blocking;

/// <summary>
/// A connection with a thread of its own, which reads, has the stages and user code run, and, when these answer at once, writes.
/// </summary>
internal sealed class BlockingConnection : CoapConnection
{
    private const int FirstBuffer = 4096;
    private const int FreeBytes = FirstBuffer;

    private readonly BlockingTransport _owner;
    private readonly Socket _socket;
    private readonly Lock _writing = new();
    private readonly object _reading = new();
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private byte[] _buffer = new byte[FirstBuffer];
    private int _start;
    private int _end;
    private int _reserved;
    private long _frames;
    private long _partial;
    private long _sent;
    private long _waiting;
    private int _wasAsked;
    private int _pauses;
    private bool _isLastSent;
    private bool _isClosed;
    private Exception? _reason;

    public BlockingConnection(BlockingTransport transport, Socket socket, bool isInitiator)
        : base(transport, CoapAddress.FromIPEndPoint((IPEndPoint)socket.RemoteEndPoint!),
            CoapAddress.FromIPEndPoint((IPEndPoint)socket.LocalEndPoint!), isInitiator)
    {
        _owner = transport;
        _socket = socket;
        socket.NoDelay = true;
        socket.SendTimeout = (int)transport.SendTimeout.TotalMilliseconds;
    }

    /// <summary>Ends when nothing more comes of the connection.</summary>
    public Task Completion => _completion.Task;

    // Nothing is ever queued here: who sends waits until the peer took it, and meanwhile nobody else should come with what can wait.
    public override bool IsCongested
    {
        get
        {
            if (Interlocked.Read(ref _waiting) == 0)
            {
                return false;
            }

            Interlocked.Exchange(ref _wasAsked, 1);
            return Interlocked.Read(ref _waiting) > 0;
        }
    }

    public override CoapConnectionTransferProgress Progress =>
        new(Volatile.Read(ref _frames), Volatile.Read(ref _partial), Volatile.Read(ref _sent), Volatile.Read(ref _waiting));

    /// <summary>Tells the endpoint of the connection; when it is refused, nothing is left of it.</summary>
    public bool Open()
    {
        if (_owner.TryAdd(this) && _owner.Context.Opened(this))
        {
            return true;
        }

        _owner.Remove(this);
        _socket.Dispose();
        _completion.TrySetResult();
        return false;
    }

    /// <summary>What the thread of the connection does until its end.</summary>
    public void Run()
    {
        try
        {
            ReadAll();
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            End(exception is SocketException ? exception : null);
        }

        End(null);
        Discard();
        Release();
        _socket.Dispose();
        _owner.Remove(this);
        _owner.Context.Closed(this, _reason);
        _completion.TrySetResult();
    }

    public override void Send(CoapDatagram frame)
    {
        bool isLast = frame.IsLast;
        try
        {
            lock (_writing)
            {
                if (_isLastSent || Volatile.Read(ref _isClosed))
                {
                    return;
                }

                _isLastSent = isLast;
                Write(frame.Span);
            }

            if (isLast)
            {
                // Its thread may wait in a read, and leaves it by this.
                End(null);
                _socket.Shutdown(SocketShutdown.Both);
            }
            else if (Interlocked.Exchange(ref _wasAsked, 0) != 0)
            {
                _owner.Context.CongestionEnded(this);
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            CoapError error = exception is SocketException { SocketErrorCode: SocketError.TimedOut or SocketError.WouldBlock }
                ? CoapError.TooSlow
                : CoapError.Lost;
            Close(new CoapConnectionException(error, $"Nothing could be sent to {this}: {exception.Message}", exception));
        }
        finally
        {
            frame.Dispose();
        }
    }

    public override void PauseReading()
    {
        lock (_reading)
        {
            _pauses++;
        }
    }

    public override void ResumeReading()
    {
        lock (_reading)
        {
            _pauses--;
            Monitor.PulseAll(_reading);
        }
    }

    public override void Close(CoapException? reason)
    {
        End(reason);
        try
        {
            // Ends a read or a write that another thread waits in.
            _socket.Shutdown(SocketShutdown.Both);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // It has ended already.
        }

        _socket.Dispose();
    }

    private void Write(ReadOnlySpan<byte> bytes)
    {
        Interlocked.Exchange(ref _waiting, bytes.Length);
        while (!bytes.IsEmpty)
        {
            int count = _socket.Send(bytes);
            bytes = bytes[count..];
            Volatile.Write(ref _sent, _sent + count);
            Interlocked.Exchange(ref _waiting, bytes.Length);
        }
    }

    private void ReadAll()
    {
        while (WaitUntilReading())
        {
            if (!CutFrames())
            {
                continue;
            }

            int count = _socket.Receive(_buffer, _end, _buffer.Length - _end, SocketFlags.None);
            if (count == 0)
            {
                if (!IsOpen)
                {
                    return;
                }

                _owner.Context.ReceiveEnded(this);
                WaitUntilClosed();
                return;
            }

            _end += count;
        }
    }

    /// <summary>Hands in all frames that are there, and makes room for the rest of the next one.</summary>
    /// <returns>False when reading was paused, or the connection closed, in the middle.</returns>
    private bool CutFrames()
    {
        while (_start < _end)
        {
            long length = _owner.Context.MeasureFrame(this, _buffer.AsSpan(_start, _end - _start), _end - _start);
            if (length < 0)
            {
                WaitUntilClosed();
                return false;
            }

            if (length == 0 || length > _end - _start)
            {
                Volatile.Write(ref _partial, Math.Max(length, _end - _start));
                return MakeRoom();
            }

            CoapDatagram frame = new((int)length)
            {
                Length = (int)length,
                Remote = Remote,
                Local = Local,
                Transport = Transport,
                Channel = Channel
            };
            _buffer.AsSpan(_start, (int)length).CopyTo(frame.Buffer);
            _start += (int)length;
            Volatile.Write(ref _partial, 0);
            Volatile.Write(ref _frames, _frames + 1);
            _owner.Context.Receive(frame);
            if (!IsReading)
            {
                return false;
            }
        }

        _start = _end = 0;
        if (_buffer.Length > FirstBuffer)
        {
            _buffer = new byte[FirstBuffer];
            Release();
        }

        return true;
    }

    // Memory grows with what came, never with what a length field says.
    private bool MakeRoom()
    {
        if (_start > 0)
        {
            _buffer.AsSpan(_start, _end - _start).CopyTo(_buffer);
            (_start, _end) = (0, _end - _start);
        }

        if (_end < _buffer.Length)
        {
            return true;
        }

        int size = _buffer.Length * 2;
        if (!_owner.Context.TryReserveAssembly(this, size - FreeBytes - _reserved))
        {
            Close(new CoapConnectionException(CoapError.Refused, $"There is no memory for a frame of {this}."));
            return false;
        }

        _reserved = size - FreeBytes;
        Array.Resize(ref _buffer, size);
        return true;
    }

    private void Release()
    {
        _owner.Context.ReleaseAssembly(this, _reserved);
        _reserved = 0;
    }

    // What the peer sent and nobody read would have the system reset the connection, and with it the last frame.
    private void Discard()
    {
        try
        {
            _socket.Blocking = false;
            while (_socket.Receive(_buffer, SocketFlags.None, out SocketError error) > 0 && error == SocketError.Success)
            {
                // Once more.
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // It was closed, or reset.
        }
    }

    private bool IsOpen
    {
        get
        {
            lock (_reading)
            {
                return !_isClosed;
            }
        }
    }

    private bool IsReading
    {
        get
        {
            lock (_reading)
            {
                return _pauses == 0 && !_isClosed;
            }
        }
    }

    private bool WaitUntilReading()
    {
        lock (_reading)
        {
            while (_pauses > 0 && !_isClosed)
            {
                Monitor.Wait(_reading);
            }

            return !_isClosed;
        }
    }

    private void WaitUntilClosed()
    {
        lock (_reading)
        {
            while (!_isClosed)
            {
                Monitor.Wait(_reading);
            }
        }
    }

    /// <summary>Remembers why, the first time.</summary>
    private void End(Exception? reason)
    {
        lock (_reading)
        {
            if (!_isClosed)
            {
                _isClosed = true;
                _reason = reason;
                Monitor.PulseAll(_reading);
            }
        }
    }
}
