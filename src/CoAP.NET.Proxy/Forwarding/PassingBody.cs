using System.Buffers;
using System.IO.Pipelines;

namespace CoAP.NET.Proxy.Forwarding;

/// <summary>
/// The body of a request on its way through the proxy: what came first is held, so that a small body can be sent as a whole and, if need
/// be, again; the rest is read while the other side takes it. Whoever does nothing for too long, client or server, ends it. One reader.
/// </summary>
internal sealed class PassingBody : Stream
{
    private readonly PipeReader _reader;
    private readonly TimeSpan _patience;
    private readonly CancellationTokenSource _end;
    private readonly CancellationTokenRegistration _stopping;
    private readonly CancellationTokenRegistration _leaving;
    private readonly ClientPace _pace;
    private byte[] _first = [];
    private int _length;
    private int _taken;
    private bool _isAtEnd;
    private volatile bool _isEvicted;
    private volatile bool _isAbandoned;
    private volatile bool _isOver;

    /// <summary>Begins to take a body.</summary>
    /// <param name="request">The request.</param>
    /// <param name="patience">How long each side may do nothing.</param>
    /// <param name="clock">The clock.</param>
    /// <param name="cancellationToken">Ends it: the server stops.</param>
    public PassingBody(CoapRequest request, TimeSpan patience, TimeProvider clock, CancellationToken cancellationToken)
    {
        _reader = request.BodyReader;
        _patience = patience;
        _pace = new ClientPace(clock);
        Announced = request.Options.Size1;
        _end = new CancellationTokenSource(patience, clock);
        _stopping = cancellationToken.UnsafeRegister(static end => ((CancellationTokenSource)end!).Cancel(), _end);
        if (request.Channel is { IsReliable: true })
        {
            // Over a connection it is known that nobody sends any more; on datagrams only time tells.
            _leaving = request.Peer.Disconnected.UnsafeRegister(static end => ((CancellationTokenSource)end!).Cancel(), _end);
        }
    }

    /// <summary>How many bytes the client says that it has; null when it does not say.</summary>
    public long? Announced { get; }

    /// <summary>All of it, where it was small; otherwise nothing.</summary>
    public ReadOnlyMemory<byte> Held => IsStream ? default : _first.AsMemory(0, _length);

    /// <summary>Whether it is read while it comes.</summary>
    public bool IsStream { get; private set; }

    /// <summary>Ends when one of both sides did nothing for too long, or when it was given up.</summary>
    public CancellationToken Ended => _end.Token;

    /// <summary>Whether it ended since the server did nothing for too long, and not the client.</summary>
    public bool WaitsForServer => !_isAbandoned && !IsWantedAgain && !_pace.IsWaiting;

    /// <summary>Whether the server wants it from its beginning, which is gone.</summary>
    public bool IsWantedAgain { get; private set; }

    /// <summary>Whether it gave way to somebody else.</summary>
    public bool IsEvicted => _isEvicted;

    /// <summary>How long its client kept others waiting, beyond what its bytes are worth.</summary>
    public TimeSpan Debt => _pace.Debt;

    /// <inheritdoc/>
    public override bool CanRead => true;

    /// <inheritdoc/>
    public override bool CanSeek => false;

    /// <inheritdoc/>
    public override bool CanWrite => false;

    /// <inheritdoc/>
    public override long Length => throw new NotSupportedException();

    /// <inheritdoc/>
    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <summary>Takes what comes until all of it is here, or too much to be held.</summary>
    /// <param name="max">The most bytes that are held.</param>
    /// <returns>Whether all of it is held; otherwise the rest is to be read.</returns>
    public async ValueTask<bool> TryHoldAsync(int max)
    {
        // What is announced to be larger need not be waited for.
        while (!_isAtEnd && _length <= max && !(_length > 0 && Announced > max))
        {
            if (_length == _first.Length)
            {
                Array.Resize(ref _first, Math.Max(2048, (int)Math.Min(2L * _length, max + 1L)));
            }

            int read = await ReadRestAsync(_first.AsMemory(_length), Ended).ConfigureAwait(false);
            _length += read;
        }

        IsStream = !_isAtEnd || _length > max;
        return !IsStream;
    }

    /// <summary>Goes back to the beginning, as long as nothing was taken beyond what is held.</summary>
    public bool TryRewind()
    {
        if (_taken > _length)
        {
            return false;
        }

        _taken = 0;
        return true;
    }

    /// <summary>Others need its place.</summary>
    public void MarkEvicted() => _isEvicted = true;

    /// <summary>Ends it.</summary>
    public void Stop()
    {
        try
        {
            _end.Cancel();
        }
        catch (ObjectDisposedException)
        {
            // It was over anyway.
        }
    }

    /// <inheritdoc/>
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (_isOver)
        {
            throw new IOException("The request is over.");
        }

        // Who asks for more has taken what came before.
        Restart();
        if (_taken < _length)
        {
            int taken = Math.Min(buffer.Length, _length - _taken);
            _first.AsSpan(_taken, taken).CopyTo(buffer.Span);
            _taken += taken;
            return taken;
        }

        int read = await ReadRestAsync(buffer, cancellationToken).ConfigureAwait(false);
        if (read > 0 && _taken == _length)
        {
            // From here on it cannot begin again.
            (_first, _length, _taken) = ([], 0, 1);
        }

        return read;
    }

    /// <inheritdoc/>
    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException("It comes over a network.");

    /// <inheritdoc/>
    public override void Flush()
    {
    }

    /// <inheritdoc/>
    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void SetLength(long value) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    /// <summary>Whether a failure of the request is one of its body: the client gave it up, it took too long, or cannot begin
    /// again.</summary>
    /// <param name="exception">What was thrown.</param>
    public bool Explains(Exception exception)
    {
        IsWantedAgain |= exception is CoapBodyNotRepeatableException;
        return IsWantedAgain || _isAbandoned || _isEvicted || (exception is OperationCanceledException && !_isOver
            && _end.IsCancellationRequested);
    }

    /// <summary>Nothing more is read.</summary>
    public void End()
    {
        _isOver = true;
        _stopping.Dispose();
        _leaving.Dispose();
        _end.Dispose();
    }

    // Both sides made progress.
    private void Restart() => _end.CancelAfter(_patience);

    private async ValueTask<int> ReadRestAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        if (_isAtEnd)
        {
            return 0;
        }

        ReadResult result;
        _pace.BeginWaiting();
        try
        {
            result = await _reader.ReadAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (CoapIncompleteBodyException)
        {
            _isAbandoned = true;
            throw;
        }

        ReadOnlySequence<byte> taken = result.Buffer.Slice(0, Math.Min(buffer.Length, result.Buffer.Length));
        int length = (int)taken.Length;
        taken.CopyTo(buffer.Span);
        _isAtEnd = result.IsCompleted && length == result.Buffer.Length;
        _reader.AdvanceTo(taken.End);
        _pace.EndWaiting(length, _isAtEnd);
        Restart();
        return length;
    }
}
