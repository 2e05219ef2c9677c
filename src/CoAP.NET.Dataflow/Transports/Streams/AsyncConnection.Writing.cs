using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;

namespace CoAP.NET.Transports;

// Frames are appended to a pipe under the lock; one loop at a time takes them out, and it runs only while there are any. It begins on the thread that sends, so that
// what the operating system takes at once needs no other thread.
internal sealed partial class AsyncConnection
{
    // Small enough that a slow peer is seen to take something now and then; also the largest record of TLS.
    private const int OutputSegment = 16 * 1024;

    private const int LengthSize = 4;

    private static readonly PipeOptions s_outputOptions = new(pauseWriterThreshold: 0, minimumSegmentSize: OutputSegment, useSynchronizationContext: false);

    private readonly Pipe _output;

    // Guarded by _gate; the counts are also read without it.
    private bool _isWriting;
    private bool _unflushed;
    private bool _isLastGiven;
    private bool _isGivenUp;
    private bool _isCongested;
    private bool _isStuck;
    private int _batchThread;
    private long _waiting;
    private long _sent;
    private Backlog _backlog;

    // Whether anything came from the peer.
    private bool _hasHeard;

    public override void Send(CoapDatagram frame)
    {
        bool writes = false;
        bool isTooSlow = false;
        bool tells = false;
        lock (_gate)
        {
            if (!_isOver && !_isLastGiven && !_isGivenUp)
            {
                _isGivenUp = isTooSlow = _waiting > _context.Limits.MaxSendQueueBytes;
                if (!isTooSlow)
                {
                    _isLastGiven = frame.IsLast;
                    if (_isLastGiven)
                    {
                        _link.OnLast(frame.Span);
                    }

                    Append(frame.Span);
                    writes = _batchThread != Environment.CurrentManagedThreadId && TryBeginWriting();
                    tells = _isStuck && _backlog.MustTell(_waiting, _sent);
                }
            }
        }

        frame.Dispose();
        if (tells)
        {
            _context.BacklogChanged(this);
        }

        if (writes)
        {
            _ = WriteAsync();
        }
        else if (isTooSlow)
        {
            _context.Counters.Add(CoapCounter.SlowConnections);
            _ = EndSoonAsync(
                new CoapConnectionException(CoapConnectionError.TooSlow, $"The connection to {this} was closed: the peer does not take what is sent to it. See CoapLimits.MaxSendQueueBytes."));
        }
    }

    /// <summary>Sends what waits for the end of a batch whose thread is in user code for long.</summary>
    public void FlushLate()
    {
        bool writes;
        lock (_gate)
        {
            writes = _turn == Turn.InUserCode && TryBeginWriting();
        }

        if (writes)
        {
            _ = WriteAsync();
        }
    }

    private static void Flush(PipeWriter writer)
    {
        // No threshold, so it never waits for a reader.
        ValueTask<FlushResult> flushed = writer.FlushAsync(CancellationToken.None);
        _ = flushed.IsCompleted ? flushed.Result : throw new InvalidOperationException("A pipe without thresholds waited for its reader.");
    }

    // What comes out of one read leaves at once, when all of it was worked on.
    private void BeginBatch()
    {
        lock (_gate)
        {
            _batchThread = Environment.CurrentManagedThreadId;
        }
    }

    private void EndBatch()
    {
        bool writes;
        lock (_gate)
        {
            _batchThread = 0;
            writes = TryBeginWriting();
        }

        if (writes)
        {
            _ = WriteAsync();
        }
    }

    // Under the lock.
    private void Append(ReadOnlySpan<byte> bytes)
    {
        if (_link.HasMessages)
        {
            // Where the message ends is lost in the pipe otherwise.
            BinaryPrimitives.WriteInt32LittleEndian(_output.Writer.GetSpan(LengthSize), bytes.Length);
            _output.Writer.Advance(LengthSize);
        }

        _output.Writer.Write(bytes);
        _unflushed = true;
        Volatile.Write(ref _waiting, _waiting + bytes.Length);
        if (_waiting > _context.Limits.SendQueueBytes)
        {
            Volatile.Write(ref _isCongested, true);
        }
    }

    // Under the lock. Whether the caller is to run the loop, after the lock.
    private bool TryBeginWriting()
    {
        if (_isWriting || !_unflushed || _isOver)
        {
            return false;
        }

        _isWriting = true;
        _holders++;
        return true;
    }

    private async Task WriteAsync()
    {
        Exception? error = null;
        bool isLast = false;
        try
        {
            while (TryTakeOutput(out ReadOnlySequence<byte> bytes, out isLast))
            {
                if (_link.HasMessages)
                {
                    await WriteMessagesAsync(bytes).ConfigureAwait(false);
                }
                else
                {
                    foreach (ReadOnlyMemory<byte> segment in bytes)
                    {
                        await WriteAsync(segment, endsMessage: false).ConfigureAwait(false);
                        OnWritten(segment.Length);
                    }
                }

                _output.Reader.AdvanceTo(bytes.End);
            }

            if (isLast)
            {
                await _link.EndOutputAsync().ConfigureAwait(false);
            }
        }
#pragma warning disable CA1031 // whatever it was, the connection ends by it and nothing else
        catch (Exception exception)
#pragma warning restore CA1031
        {
            error = exception;
        }

        if (error is not null || isLast)
        {
            // Who sends, mostly a stage, is not to find the end of the connection inside.
            await default(PoolTurn);
            End(error is null ? null : _link.Explain(error, _hasHeard), lingers: error is null);
        }

        Hold(-1);
    }

    private async ValueTask WriteMessagesAsync(ReadOnlySequence<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            int rest = LengthOf(bytes);
            ReadOnlySequence<byte> message = bytes.Slice(LengthSize, rest);
            bytes = bytes.Slice(message.End);
            foreach (ReadOnlyMemory<byte> segment in message)
            {
                rest -= segment.Length;
                await WriteAsync(segment, endsMessage: rest == 0).ConfigureAwait(false);
                OnWritten(segment.Length);
            }
        }
    }

    // What is taken at once is counted nowhere.
    private ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, bool endsMessage)
    {
        ValueTask written = _link.WriteAsync(bytes, endsMessage);
        if (!written.IsCompleted)
        {
            bool tells;
            lock (_gate)
            {
                _isStuck = true;
                tells = _backlog.MustTell(_waiting, _sent);
            }

            if (tells)
            {
                _context.BacklogChanged(this);
            }
        }

        return written;
    }

    private static int LengthOf(in ReadOnlySequence<byte> bytes)
    {
        Span<byte> length = stackalloc byte[LengthSize];
        bytes.Slice(0, LengthSize).CopyTo(length);
        return BinaryPrimitives.ReadInt32LittleEndian(length);
    }

    private bool TryTakeOutput(out ReadOnlySequence<byte> bytes, out bool isLast)
    {
        lock (_gate)
        {
            isLast = false;
            bytes = default;
            if (_isOver)
            {
                _isWriting = false;
                return false;
            }

            if (!_unflushed)
            {
                // After the last frame nobody else may begin to write.
                isLast = _isLastGiven;
                _isWriting = isLast;
                return false;
            }

            _unflushed = false;
            Flush(_output.Writer);
            if (!_output.Reader.TryRead(out ReadResult result))
            {
                _isWriting = false;
                return false;
            }

            bytes = result.Buffer;
            return true;
        }
    }

    private void OnWritten(int count)
    {
        TaskCompletionSource? resume = null;
        bool isDrained;
        bool tells;
        lock (_gate)
        {
            Volatile.Write(ref _sent, _sent + count);
            Volatile.Write(ref _waiting, _waiting - count);
            tells = _isStuck && _backlog.MustTell(_waiting, _sent);
            _isStuck &= _waiting > 0;
            isDrained = _isCongested && _waiting <= _context.Limits.SendQueueBytes / 2;
            if (isDrained)
            {
                Volatile.Write(ref _isCongested, false);
                resume = TakeResume();
                isDrained = !_isOver;
            }
        }

        if (tells)
        {
            _context.BacklogChanged(this);
        }

        resume?.TrySetResult();
        if (isDrained)
        {
            _context.Writable(this);
        }
    }

    private async Task EndSoonAsync(Exception error)
    {
        await default(PoolTurn);
        End(error, lingers: false);
    }
}
