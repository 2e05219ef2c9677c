using System.Net.Sockets;
using System.Runtime.InteropServices;
using CoAP.NET.Transports.Loops;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Transports.Tcp;

/// <summary>
/// A TCP socket that a loop watches. The caller tries to read and write at once; the loop does the rest later, and a waiting reader
/// continues within the turn of the loop that found the bytes. Only the loop closes the descriptor, under the gate, so no thread uses it
/// afterwards.
/// </summary>
internal sealed class LoopTcpSocket : ConnectedTcpSocket
{
    // The maximum number of reads per turn from a socket that always has input. A peer may send empty records, of which SslStream reads any
    // number before it returns.
    private const int ReadsInTurn = 4;

    private const uint ReadEvents = LibC.EpollIn | LibC.EpollReadHangUp | LibC.EpollHangUp | LibC.EpollError;
    private const uint WriteEvents = LibC.EpollOut | LibC.EpollHangUp | LibC.EpollError;
    private const uint EndEvents = LibC.EpollReadHangUp | LibC.EpollHangUp | LibC.EpollError;

    private readonly Lock _gate = new();
    private readonly SocketDescriptor _file;
    private readonly EpollLoop _loop;
    private readonly SafeHandle _handle;
    private readonly IDisposable _owner;
    private readonly OpenConnectionCountdown _members;
    private readonly int _descriptor;

    // All guarded by the gate.
    private readonly SocketWait _reader = new();
    private readonly SocketWait _writer = new();
    private Memory<byte> _readTo;
    private ReadOnlyMemory<byte> _writeFrom;
    private Exception? _error;
    private bool _mayHaveBytes = true;
    private bool _hasHadRoom;
    private bool _isEndNear;
    private bool _isWatched;
    private bool _isClosing;
    private bool _isClosed;
    private bool _runsInline;
    private bool _isHeldBack;
    private int _readsLeft;

    // The thread of the loop while it serves this socket; and the poll of the loop at which all bytes had been read, so an event of a later
    // poll means new bytes.
    private int _servingThread;
    private long _emptyAt = long.MaxValue;

    /// <summary>Attaches a socket to a loop.</summary>
    /// <param name="owner">The transport, as its loops see it.</param>
    /// <param name="loop">The loop.</param>
    /// <param name="handle">The socket; it may be a blocking one.</param>
    /// <param name="disposed">Disposed when the socket is closed.</param>
    /// <param name="members">Counts it until its descriptor is closed.</param>
    public LoopTcpSocket(
        EpollTransportContext owner, EpollLoop loop, SafeHandle handle, IDisposable disposed, OpenConnectionCountdown members)
    {
        _file = new SocketDescriptor(this, owner);
        _loop = loop;
        _handle = handle;
        _owner = disposed;
        _members = members;
        _descriptor = (int)handle.DangerousGetHandle();
        LocalAddress = TcpSockets.LocalOf(_descriptor);
        members.Enter();
        loop.Call(_file);
    }

    public override CoapAddress LocalAddress { get; }

    public override void RunInline()
    {
        lock (_gate)
        {
            _runsInline = true;
        }
    }

    public override ValueTask<int> WaitAsync(CancellationToken cancellationToken) => ReadAsync(Memory<byte>.Empty, cancellationToken);

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        ValueTask<int> read;
        lock (_gate)
        {
            _isHeldBack = _readsLeft == 0 && _mayHaveBytes && IsServing;
            if (!_isHeldBack && TryRead(buffer.Span, out int count))
            {
                return _error is { } error ? ValueTask.FromException<int>(error) : ValueTask.FromResult(count);
            }

            _readTo = buffer;
            read = _reader.Begin();
        }

        if (_isHeldBack)
        {
            _loop.Call(_file);
        }

        return cancellationToken.CanBeCanceled ? WaitForReaderAsync(read, cancellationToken) : read;
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken)
    {
        ValueTask<int> write;
        lock (_gate)
        {
            if (TryWrite(ref buffer))
            {
                return _error is { } error ? ValueTask.FromException(error) : default;
            }

            _writeFrom = buffer;
            write = _writer.Begin();
        }

        return WaitForWriterAsync(write, cancellationToken);
    }

    /// <summary>Waits until the connection attempt has ended.</summary>
    /// <exception cref="SocketException">The attempt failed.</exception>
    public async Task ConnectAsync(CoapAddress remote, CancellationToken cancellationToken)
    {
        ValueTask<int> wait;
        lock (_gate)
        {
            // The loop may have got the event before.
            wait = _hasHadRoom ? default : _writer.Begin();
        }

        await WaitForWriterAsync(wait, cancellationToken).ConfigureAwait(false);
        if (TcpSockets.ConnectFailureOf(_descriptor, remote, out _) is { } failure)
        {
            throw failure;
        }
    }

    public override void EndOutput()
    {
        lock (_gate)
        {
            if (!_isClosing)
            {
                _ = LibC.Shutdown(_descriptor, LibC.ShutdownSend);
            }
        }
    }

    public override void Close()
    {
        lock (_gate)
        {
            if (_isClosing)
            {
                return;
            }

            _isClosing = true;
            _error = new IOException("The connection was closed.", new SocketException((int)SocketError.OperationAborted));
            _ = LibC.Shutdown(_descriptor, LibC.ShutdownBoth);
        }

        _loop.Call(_file);
    }

    private async ValueTask<int> WaitForReaderAsync(ValueTask<int> read, CancellationToken cancellationToken)
    {
        using CancellationTokenRegistration cancelled = cancellationToken.UnsafeRegister(
            static (state, token) => ((LoopTcpSocket)state!).GiveUp(((LoopTcpSocket)state)._reader, token), this);
        return await read.ConfigureAwait(false);
    }

    private async ValueTask WaitForWriterAsync(ValueTask<int> write, CancellationToken cancellationToken)
    {
        using CancellationTokenRegistration cancelled = cancellationToken.UnsafeRegister(
            static (state, token) => ((LoopTcpSocket)state!).GiveUp(((LoopTcpSocket)state)._writer, token), this);
        await write.ConfigureAwait(false);
    }

    private void GiveUp(SocketWait wait, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (!wait.TryEnd())
            {
                return;
            }
        }

        wait.Fail(new OperationCanceledException(cancellationToken));
    }

    // Whether the loop currently serves this socket, on this thread.
    private bool IsServing => _servingThread == Environment.CurrentManagedThreadId;

    // Under the gate, as are all members below until Serve. False: the caller must wait.
    private unsafe bool TryRead(Span<byte> buffer, out int count)
    {
        count = 0;
        if (_isClosing)
        {
            return true;
        }

        if (!_mayHaveBytes)
        {
            return false;
        }

        // Waiting peeks: it consumes nothing.
        byte one = 0;
        bool looks = buffer.IsEmpty;
        nint result;
        fixed (byte* first = buffer)
        {
            result = looks
                ? LibC.Receive(_descriptor, &one, 1, LibC.DontWait | LibC.Peek)
                : LibC.Receive(_descriptor, first, (nuint)buffer.Length, LibC.DontWait);
        }

        if (result == -LibC.EAGAIN || result == -LibC.EINTR)
        {
            SetEmpty();
            return false;
        }

        if (result < 0)
        {
            SetFailed((int)-result);
            return true;
        }

        if (!looks)
        {
            _readsLeft -= IsServing && _readsLeft > 0 ? 1 : 0;
            count = (int)result;
            if (count > 0 && count < buffer.Length && !_isEndNear)
            {
                SetEmpty();
            }
        }

        return true;
    }

    // False: the rest must wait.
    private unsafe bool TryWrite(ref ReadOnlyMemory<byte> buffer)
    {
        while (!_isClosing && buffer.Length > 0)
        {
            nint result;
            fixed (byte* first = buffer.Span)
            {
                result = LibC.Send(_descriptor, first, (nuint)buffer.Length, LibC.DontWait | LibC.NoSignal);
            }

            if (result == -LibC.EAGAIN)
            {
                return false;
            }

            if (result < 0 && result != -LibC.EINTR)
            {
                SetFailed((int)-result);
                return true;
            }

            buffer = buffer[(int)Math.Max(0, result)..];
        }

        return true;
    }

    private void SetEmpty()
    {
        _mayHaveBytes = false;
        _emptyAt = IsServing ? _loop.Looks : long.MaxValue;
    }

    private void SetFailed(int error)
    {
        SocketException cause = LinuxErrors.ToException(error);
        _error ??= new IOException(cause.Message, cause);
    }

    // The loop's turn: the socket is readable or writable.
    private bool Serve(uint events, ReceiveLoopOwnership role)
    {
        bool reads = false;
        bool writes = false;
        bool runsInline = false;
        int count = 0;
        lock (_gate)
        {
            if (_isClosed)
            {
                return true;
            }

            _isEndNear |= (events & EndEvents) != 0;
            if ((events & ReadEvents) != 0)
            {
                // Another thread may have read bytes that arrived before the last poll.
                bool isNew = _emptyAt < _loop.Looks && (events & LibC.EpollIn) != 0;
                _mayHaveBytes = true;
                _servingThread = Environment.CurrentManagedThreadId;
                _readsLeft = ReadsInTurn;
                reads = _reader.IsWaiting && ((isNew && _readTo.IsEmpty) || TryRead(_readTo.Span, out count)) && _reader.TryEnd();

                // The handling of the peer's end, or of a failure, may take time.
                runsInline = _runsInline && !_isEndNear && _error is null;
            }

            _hasHadRoom |= (events & WriteEvents) != 0;
            writes = (events & WriteEvents) != 0 && _writer.IsWaiting && TryWrite(ref _writeFrom) && _writer.TryEnd();
        }

        if (writes)
        {
            _writer.Report(0, _error, runsInline: false);
        }

        if (!reads)
        {
            return true;
        }

        _loop.Begin(_file.Owner);
        _reader.Report(count, _error, runsInline);
        Interlocked.CompareExchange(ref _servingThread, 0, Environment.CurrentManagedThreadId);
        return role.ExitAll() && _loop.Flush(role);
    }

    // The loop starts to watch it, continues with it, or closes it.
    private bool Attend(ReceiveLoopOwnership role)
    {
        bool goesOn;
        bool reads = false;
        bool writes = false;
        lock (_gate)
        {
            if (_isClosed)
            {
                return true;
            }

            goesOn = _isHeldBack && !_isClosing;
            _isHeldBack = false;

            if (!_isClosing && !_isWatched)
            {
                _isWatched = _loop.TryAdd(_file, _handle,
                    LibC.EpollEdge | LibC.EpollIn | LibC.EpollOut | LibC.EpollReadHangUp);
                if (!_isWatched)
                {
                    _isClosing = true;
                    _error = new CoapConnectionException(
                        CoapError.Refused,
                        "The operating system refuses to watch the connection; the limit of epoll watches may be reached.");
                }
            }

            if (_isClosing)
            {
                if (_isWatched)
                {
                    _loop.Remove(_file, _handle);
                }

                _isClosed = true;
                _owner.Dispose();
                reads = _reader.TryEnd();
                writes = _writer.TryEnd();
            }
        }

        if (reads)
        {
            _reader.Fail(_error!);
        }

        if (writes)
        {
            _writer.Fail(_error!);
        }

        if (_isClosed)
        {
            _members.Leave();
        }

        return !goesOn || Serve(LibC.EpollIn, role);
    }

    private sealed class SocketDescriptor(LoopTcpSocket socket, EpollTransportContext owner) : EpollWatchedDescriptor(owner)
    {
        public override bool Serve(EpollLoop loop, ReceiveLoopOwnership role)
        {
            uint events = Events;
            Events = 0;
            return socket.Serve(events, role);
        }

        public override bool Attend(EpollLoop loop, ReceiveLoopOwnership role) => socket.Attend(role);

        public override void Detach(EpollLoop loop) => socket.Close();
    }
}
