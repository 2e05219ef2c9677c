namespace CoAP.NET.Transports.Streams;

/// <summary>
/// The output of an <see cref="AsyncIOConnection"/>. Frames are appended to a queue under the lock of the connection. One loop at a time
/// removes them, and runs only while there are any. It begins on the sending thread, so bytes that the operating system takes at once need
/// no other thread.
/// </summary>
internal sealed class ConnectionWriter(AsyncIOConnection connection, ConnectionByteTransport link, ICoapStreamTransportContext context)
{
    // Small enough that a slow peer visibly takes something now and then; also the largest record of TLS.
    private const int LargestWrite = 16 * 1024;

    // Guarded by the lock of the connection; the counts are also read without it.
    private readonly SendQueue _queue = new(LargestWrite);

    // The lengths of the queued messages, if each leaves separately; and the rest of the first one.
    private readonly Queue<int>? _messages = link.HasMessages ? new Queue<int>() : null;
    private int _messageRest;
    private bool _isGivenUp;
    private bool _isCongested;
    private bool _isStuck;
    private int _batchThread;
    private long _waiting;
    private long _sent;
    private SendBacklogReporter _backlog;

    /// <summary>Whether its loop runs. Guarded by the lock.</summary>
    public bool IsWriting { get; private set; }

    /// <summary>Whether the last frame was queued. Guarded by the lock.</summary>
    public bool IsLastGiven { get; private set; }

    /// <summary>Whether the backlog exceeds its limit. Thread-safe, as are the next three members.</summary>
    public bool IsCongested => Volatile.Read(ref _isCongested);

    /// <summary>The number of bytes that the link took.</summary>
    public long Sent => Volatile.Read(ref _sent);

    /// <summary>The number of waiting bytes.</summary>
    public long Waiting => Volatile.Read(ref _waiting);

    /// <summary>The memory of the backlog that was reported to the endpoint, in bytes.</summary>
    public long Backlog => _backlog.Reported;

    /// <summary>Queues a frame behind earlier ones, and takes it over.</summary>
    public void Send(CoapDatagram frame)
    {
        bool writes = false;
        bool isTooSlow = false;
        bool tells = false;
        bool isTaken = false;
        lock (connection.Gate)
        {
            if (!connection.IsOver && !IsLastGiven && !_isGivenUp)
            {
                _isGivenUp = isTooSlow = _waiting > context.Limits.Connections.MaxSendQueueSize;
                if (!isTooSlow)
                {
                    IsLastGiven = frame.IsLast;
                    if (IsLastGiven)
                    {
                        link.OnLast(frame.Span);
                    }

                    Append(frame);
                    isTaken = true;
                    writes = _batchThread != Environment.CurrentManagedThreadId && TryBegin();
                    tells = _isStuck && MustReport();
                }
            }
        }

        if (!isTaken)
        {
            frame.Dispose();
        }

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
                CoapError.TooSlow,
                $"The connection to {connection} was closed: the peer does not accept the data sent to it. See "
                    + "CoapLimits.Connections.MaxSendQueueSize."));
        }
    }

    /// <summary>Ends the batch of this thread: the answers of one read leave together, now.</summary>
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

    /// <summary>Leaves the batch because its thread enters user code: later messages leave at once. Under the lock.</summary>
    /// <returns>Whether messages wait for the end of the batch.</returns>
    public bool TryLeaveBatch()
    {
        _batchThread = 0;
        return HasOutput && !IsWriting && !connection.IsOver;
    }

    /// <summary>Makes this the thread of the batch, whose messages leave at its end (<see cref="EndBatch"/>). Under the lock.</summary>
    public void JoinBatch() => _batchThread = Environment.CurrentManagedThreadId;

    /// <summary>Whether the caller must run the loop (<see cref="Run"/>), after the lock. Under the lock.</summary>
    public bool TryBegin()
    {
        if (IsWriting || !HasOutput || connection.IsOver)
        {
            return false;
        }

        IsWriting = true;
        connection.Enter();
        return true;
    }

    public void Run() => _ = WriteAsync();

    /// <summary>Frees the memory. Under the lock, when the connection is over and no thread writes.</summary>
    public void Free() => _queue.Clear();

    // Also after an empty last frame: the local side must be ended.
    private bool HasOutput => _queue.Length > 0 || IsLastGiven;

    // Under the lock. The memory counts, not the bytes: the rest of a frame holds its whole buffer.
    private bool MustReport() => _backlog.MustReport(_queue.QueuedBytes + ((_messages?.Count ?? 0) * (long)sizeof(int)), _sent);

    // Under the lock.
    private void Append(CoapDatagram frame)
    {
        if (_messages is { } messages && frame.Length > 0)
        {
            messages.Enqueue(frame.Length);
        }

        _queue.Add(frame, 0);
        Volatile.Write(ref _waiting, _queue.Length);
        if (_waiting > context.Limits.Connections.SendQueueSize)
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
            while (TryPeek(out ReadOnlyMemory<byte> bytes, out bool endsMessage, out isLast))
            {
                await WriteAsync(bytes, endsMessage).ConfigureAwait(false);
                OnWritten(bytes.Length);
            }

            if (isLast)
            {
                await link.EndOutputAsync().ConfigureAwait(false);
            }
        }
#pragma warning disable CA1031 // any exception ends the connection and nothing else
        catch (Exception exception)
#pragma warning restore CA1031
        {
            error = exception;
        }

        if (error is not null || isLast)
        {
            // The sender, mostly a stage, must not run the end of the connection inside its call.
            await default(YieldToPool);
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

    // Bytes that are taken at once are not counted.
    private ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, bool endsMessage)
    {
        ValueTask written = link.WriteAsync(bytes, endsMessage);
        if (!written.IsCompleted)
        {
            bool tells;
            lock (connection.Gate)
            {
                _isStuck = true;
                tells = MustReport();
            }

            if (tells)
            {
                context.BacklogChanged(connection);
            }
        }

        return written;
    }

    private bool TryPeek(out ReadOnlyMemory<byte> bytes, out bool endsMessage, out bool isLast)
    {
        lock (connection.Gate)
        {
            isLast = endsMessage = false;
            bytes = default;
            if (connection.IsOver)
            {
                IsWriting = false;
                return false;
            }

            bytes = _queue.Peek();
            if (bytes.IsEmpty)
            {
                // After the last frame no other thread may begin to write.
                isLast = IsLastGiven;
                IsWriting = isLast;
                return false;
            }

            bytes = bytes[..Math.Min(bytes.Length, LargestWrite)];
            if (_messages is { } messages)
            {
                _messageRest = _messageRest > 0 ? _messageRest : messages.Peek();
                bytes = bytes[..Math.Min(bytes.Length, _messageRest)];
                endsMessage = bytes.Length == _messageRest;
            }

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
            _queue.Skip(count);
            if (_messages is { } messages && (_messageRest -= count) == 0)
            {
                messages.Dequeue();
            }

            Volatile.Write(ref _sent, _sent + count);
            Volatile.Write(ref _waiting, _queue.Length);
            tells = _isStuck && MustReport();
            _isStuck &= _waiting > 0;
            isDrained = _isCongested && _waiting <= context.Limits.Connections.SendQueueSize / 2;
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
            context.CongestionEnded(connection);
        }
    }

    private async Task EndSoonAsync(Exception error)
    {
        await default(YieldToPool);
        connection.End(error, lingers: false);
    }
}
