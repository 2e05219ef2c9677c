using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;

namespace CoAP.NET.Transports;

/// <summary>
/// What leaves on an <see cref="AsyncConnection"/>. Frames are appended to a pipe under the lock of the connection; one loop at a time
/// takes them out, and it runs only while there are any. It begins on the thread that sends, so that what the operating system takes at
/// once needs no other thread.
/// </summary>
internal sealed class ConnectionWriter(AsyncConnection connection, ConnectionLink link, CoapTransportContext context)
{
    // Small enough that a slow peer is seen to take something now and then; also the largest record of TLS.
    private const int OutputSegment = 16 * 1024;

    private const int LengthSize = 4;

    private static readonly PipeOptions s_outputOptions = new(
        pauseWriterThreshold: 0, minimumSegmentSize: OutputSegment, useSynchronizationContext: false);

    private readonly Pipe _output = new(s_outputOptions);

    // Guarded by the lock of the connection; the counts are also read without it.
    private bool _unflushed;
    private bool _isGivenUp;
    private bool _isCongested;
    private bool _isStuck;
    private int _batchThread;
    private long _waiting;
    private long _sent;
    private Backlog _backlog;

    /// <summary>Whether its loop runs. Guarded by the lock.</summary>
    public bool IsWriting { get; private set; }

    /// <summary>Whether the last frame was given. Guarded by the lock.</summary>
    public bool IsLastGiven { get; private set; }

    /// <summary>Whether more waits than is good. For any thread, as are the next three.</summary>
    public bool IsCongested => Volatile.Read(ref _isCongested);

    /// <summary>How many bytes the link took.</summary>
    public long Sent => Volatile.Read(ref _sent);

    /// <summary>How many bytes wait.</summary>
    public long Waiting => Volatile.Read(ref _waiting);

    /// <summary>How many bytes the endpoint was told of.</summary>
    public long Backlog => _backlog.Told;

    /// <summary>Sends a frame after those that were given before, and takes it over.</summary>
    public void Send(CoapDatagram frame)
    {
        bool writes = false;
        bool isTooSlow = false;
        bool tells = false;
        lock (connection.Gate)
        {
            if (!connection.IsOver && !IsLastGiven && !_isGivenUp)
            {
                _isGivenUp = isTooSlow = _waiting > context.Limits.MaxSendQueueBytes;
                if (!isTooSlow)
                {
                    IsLastGiven = frame.IsLast;
                    if (IsLastGiven)
                    {
                        link.OnLast(frame.Span);
                    }

                    Append(frame.Span);
                    writes = _batchThread != Environment.CurrentManagedThreadId && TryBegin();
                    tells = _isStuck && _backlog.MustTell(_waiting, _sent);
                }
            }
        }

        frame.Dispose();
        if (tells)
        {
            context.BacklogChanged(connection);
        }

        if (writes)
        {
            Run();
        }
        else if (isTooSlow)
        {
            context.Counters.Add(CoapCounter.SlowConnections);
            _ = EndSoonAsync(new CoapConnectionException(
                CoapConnectionError.TooSlow,
                $"The connection to {connection} was closed: the peer does not take what is sent to it. See "
                    + "CoapLimits.MaxSendQueueBytes."));
        }
    }

    /// <summary>This thread works on what came out of one read: its answers leave together, at the end.</summary>
    public void BeginBatch()
    {
        lock (connection.Gate)
        {
            RejoinBatch();
        }
    }

    public void EndBatch()
    {
        bool writes;
        lock (connection.Gate)
        {
            _batchThread = 0;
            writes = TryBegin();
        }

        if (writes)
        {
            Run();
        }
    }

    /// <summary>The thread of the batch goes into user code: what it sends from there leaves at once. Under the lock.</summary>
    /// <returns>Whether something waits for the end of the batch.</returns>
    public bool TryLeaveBatch()
    {
        _batchThread = 0;
        return _unflushed && !connection.IsOver;
    }

    /// <summary>The thread of the batch is this one. Under the lock.</summary>
    public void RejoinBatch() => _batchThread = Environment.CurrentManagedThreadId;

    /// <summary>Whether the caller is to run the loop (<see cref="Run"/>), after the lock. Under the lock.</summary>
    public bool TryBegin()
    {
        if (IsWriting || !_unflushed || connection.IsOver)
        {
            return false;
        }

        IsWriting = true;
        connection.Enter();
        return true;
    }

    public void Run() => _ = WriteAsync();

    /// <summary>Gives the memory back. Under the lock, when the connection is over and nobody writes.</summary>
    public void Free()
    {
        _output.Writer.Complete();
        _output.Reader.Complete();
    }

    private static void Flush(PipeWriter writer)
    {
        // No threshold, so it never waits for a reader.
        ValueTask<FlushResult> flushed = writer.FlushAsync(CancellationToken.None);
        _ = flushed.IsCompleted ? flushed.Result : throw new InvalidOperationException("A pipe without thresholds waited for its reader.");
    }

    private static int LengthOf(in ReadOnlySequence<byte> bytes)
    {
        Span<byte> length = stackalloc byte[LengthSize];
        bytes.Slice(0, LengthSize).CopyTo(length);
        return BinaryPrimitives.ReadInt32LittleEndian(length);
    }

    // Under the lock.
    private void Append(ReadOnlySpan<byte> bytes)
    {
        if (link.HasMessages)
        {
            // Where the message ends is lost in the pipe otherwise.
            BinaryPrimitives.WriteInt32LittleEndian(_output.Writer.GetSpan(LengthSize), bytes.Length);
            _output.Writer.Advance(LengthSize);
        }

        _output.Writer.Write(bytes);
        _unflushed = true;
        Volatile.Write(ref _waiting, _waiting + bytes.Length);
        if (_waiting > context.Limits.SendQueueBytes)
        {
            Volatile.Write(ref _isCongested, true);
        }
    }

    private async Task WriteAsync()
    {
        Exception? error = null;
        bool isLast = false;
        try
        {
            while (TryTakeOutput(out ReadOnlySequence<byte> bytes, out isLast))
            {
                if (link.HasMessages)
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
                await link.EndOutputAsync().ConfigureAwait(false);
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
            if (error is not null)
            {
                connection.EndBy(error);
            }
            else
            {
                connection.End(null, lingers: true);
            }
        }

        connection.Leave();
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
        ValueTask written = link.WriteAsync(bytes, endsMessage);
        if (!written.IsCompleted)
        {
            bool tells;
            lock (connection.Gate)
            {
                _isStuck = true;
                tells = _backlog.MustTell(_waiting, _sent);
            }

            if (tells)
            {
                context.BacklogChanged(connection);
            }
        }

        return written;
    }

    private bool TryTakeOutput(out ReadOnlySequence<byte> bytes, out bool isLast)
    {
        lock (connection.Gate)
        {
            isLast = false;
            bytes = default;
            if (connection.IsOver)
            {
                IsWriting = false;
                return false;
            }

            if (!_unflushed)
            {
                // After the last frame nobody else may begin to write.
                isLast = IsLastGiven;
                IsWriting = isLast;
                return false;
            }

            _unflushed = false;
            Flush(_output.Writer);
            if (!_output.Reader.TryRead(out ReadResult result))
            {
                IsWriting = false;
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
        lock (connection.Gate)
        {
            Volatile.Write(ref _sent, _sent + count);
            Volatile.Write(ref _waiting, _waiting - count);
            tells = _isStuck && _backlog.MustTell(_waiting, _sent);
            _isStuck &= _waiting > 0;
            isDrained = _isCongested && _waiting <= context.Limits.SendQueueBytes / 2;
            if (isDrained)
            {
                Volatile.Write(ref _isCongested, false);
                resume = connection.TakeResume();
                isDrained = !connection.IsOver;
            }
        }

        if (tells)
        {
            context.BacklogChanged(connection);
        }

        resume?.TrySetResult();
        if (isDrained)
        {
            context.Writable(connection);
        }
    }

    private async Task EndSoonAsync(Exception error)
    {
        await default(PoolTurn);
        connection.End(error, lingers: false);
    }
}
