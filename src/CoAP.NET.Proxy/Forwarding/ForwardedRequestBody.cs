using System.Buffers;
using System.IO.Pipelines;

namespace CoAP.NET.Proxy.Forwarding;

/// <summary>
/// The body of a request on its way through the proxy. It buffers the beginning, so that a small body can be sent as a whole and sent
/// again; the rest is read at the pace of the other side. A client or server that stalls for too long ends it. One reader.
/// </summary>
internal sealed class ForwardedRequestBody : Stream
{
    private readonly PipeReader _reader;
    private readonly TimeSpan _stallTimeout;
    private readonly CancellationTokenSource _end;
    private readonly CancellationTokenRegistration _stopping;
    private readonly CancellationTokenRegistration _leaving;
    private readonly SlowClientUploadMeter _pace;
    private byte[] _first = [];
    private int _length;
    private int _taken;
    private bool _isAtEnd;
    private volatile bool _isEvicted;
    private volatile bool _isAbandoned;
    private volatile bool _isOver;

    /// <summary>Starts to receive a body.</summary>
    /// <param name="request">The request.</param>
    /// <param name="stallTimeout">The maximum time that each side may stall.</param>
    /// <param name="clock">The clock.</param>
    /// <param name="cancellationToken">Ends the body: the server stops.</param>
    public ForwardedRequestBody(CoapRequestContext request, TimeSpan stallTimeout, TimeProvider clock, CancellationToken cancellationToken)
    {
        _reader = request.BodyReader;
        _stallTimeout = stallTimeout;
        _pace = new SlowClientUploadMeter(clock);
        Announced = request.Options.Size1;
        _end = new CancellationTokenSource(stallTimeout, clock);
        _stopping = cancellationToken.UnsafeRegister(static end => ((CancellationTokenSource)end!).Cancel(), _end);
        if (request.Channel is { IsReliable: true })
        {
            // A connection reports that the client has gone; on datagrams only a timeout does.
            _leaving = request.Peer.Disconnected.UnsafeRegister(static end => ((CancellationTokenSource)end!).Cancel(), _end);
        }
    }

    /// <summary>The announced length in bytes; null without one.</summary>
    public long? Announced { get; }

    /// <summary>The whole body if it was small; otherwise empty.</summary>
    public ReadOnlyMemory<byte> BufferedBytes => IsStream ? default : _first.AsMemory(0, _length);

    /// <summary>Whether it is read while it arrives.</summary>
    public bool IsStream { get; private set; }

    /// <summary>Canceled when a side stalls for too long, or when the transfer is aborted.</summary>
    public CancellationToken Ended => _end.Token;

    /// <summary>Whether it ended because the server stalled, and not the client.</summary>
    public bool WaitsForServer => !_isAbandoned && !IsWantedAgain && !_pace.IsWaiting;

    /// <summary>Whether the server needs it from the beginning, which is no longer buffered.</summary>
    public bool IsWantedAgain { get; private set; }

    /// <summary>Whether it was evicted for another body.</summary>
    public bool IsEvicted => _isEvicted;

    /// <summary>The time by which its client has delayed others (<see cref="SlowClientUploadMeter"/>).</summary>
    public TimeSpan Delay => _pace.Delay;

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

    /// <summary>Receives until the body is complete or exceeds the buffer.</summary>
    /// <param name="max">The maximum number of buffered bytes.</param>
    /// <returns>Whether the whole body is buffered; otherwise read the rest.</returns>
    public async ValueTask<bool> TryHoldAsync(int max)
    {
        // A larger announced length is known without waiting.
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

    /// <summary>Returns to the beginning, unless bytes after the buffer were read.</summary>
    public bool TryRewind()
    {
        if (_taken > _length)
        {
            return false;
        }

        _taken = 0;
        return true;
    }

    /// <summary>Marks it as evicted because others need its place.</summary>
    public void MarkEvicted() => _isEvicted = true;

    public void Stop()
    {
        try
        {
            _end.Cancel();
        }
        catch (ObjectDisposedException)
        {
            // It had already ended.
        }
    }

    /// <inheritdoc/>
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (_isOver)
        {
            throw new IOException("The request has ended; its body can no longer be read.");
        }

        // A reader that asks for more has taken the previous bytes.
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
            // After this it cannot start over.
            (_first, _length, _taken) = ([], 0, 1);
        }

        return read;
    }

    /// <inheritdoc/>
    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count) =>
        throw new NotSupportedException("The body comes over a network and can only be read asynchronously. Use ReadAsync.");

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

    /// <summary>Whether the body caused the failure of a request: the client aborted it, it stalled, or it cannot start over.</summary>
    /// <param name="exception">The exception.</param>
    public bool Explains(Exception exception)
    {
        IsWantedAgain |= exception is CoapException { Error: CoapError.BodyNotRepeatable };
        return IsWantedAgain || _isAbandoned || _isEvicted || (exception is OperationCanceledException && !_isOver
            && _end.IsCancellationRequested);
    }

    /// <summary>Ends reading.</summary>
    public void End()
    {
        _isOver = true;
        _stopping.Dispose();
        _leaving.Dispose();
        _end.Dispose();
    }

    // Both sides made progress.
    private void Restart() => _end.CancelAfter(_stallTimeout);

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
        catch (CoapException exception) when (exception.Error == CoapError.BodyIncomplete)
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
