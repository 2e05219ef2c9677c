namespace CoAP.NET.Transports.Streams;

/// <summary>
/// The input of an <see cref="AsyncIOConnection"/>. One loop reads, cuts and hands in, on any pool thread on which the platform calls it.
/// While nothing arrives it holds no memory besides its own state.
/// </summary>
internal sealed class ConnectionReader
{
    private const int MaxDiscarded = 4 * 1024 * 1024;

    // Receives discarded input: any number of connections may overwrite it.
    private static readonly byte[] s_discarded = new byte[16 * 1024];

    private readonly AsyncIOConnection _connection;
    private readonly ConnectionByteTransport _link;
    private readonly ConnectionWriter _writer;
    private readonly AsyncIOConnections _host;
    private readonly ICoapStreamTransportContext _context;
    private readonly ConnectionInput _input;
    private readonly ConnectionReaderMemoryCharge _charge;
    private readonly AsyncConnectionUserCodeTracker _role;

    // Guarded by the lock of the connection.
    private TaskCompletionSource? _resume;

    private int _pauses;

    public ConnectionReader(AsyncIOConnection connection, ConnectionByteTransport link, ConnectionWriter writer, AsyncIOConnections host)
    {
        _connection = connection;
        _link = link;
        _writer = writer;
        _host = host;
        _context = host.Context;
        _charge = new ConnectionReaderMemoryCharge(_context, connection);
        _role = new AsyncConnectionUserCodeTracker(connection);
        _input = new ConnectionInput(connection, link, this, _charge, _context);
        link.Begin(_charge);
    }

    /// <summary>Whether its loop runs. The lock of the connection guards it, and the members up to <see cref="HasHeard"/>.</summary>
    public bool IsReading { get; private set; }

    /// <summary>The activity of its thread.</summary>
    public ConnectionReaderState Turn { get; set; }

    /// <summary>Whether anything arrived from the peer.</summary>
    public bool HasHeard { get; private set; }

    /// <summary>The number of received frames, and the length and available bytes of the partial frame. Thread-safe.</summary>
    public (long Frames, long Partial, long PartialReceived) Progress
    {
        get
        {
            // A peer that sent half a record is in the middle of a frame, of which nothing is visible yet.
            long record = _link.RecordReceived;
            return (_input.Count, Math.Max(_input.Partial, Math.Min(record, 1)), _input.PartialReceived + record);
        }
    }

    // Nothing is cut while earlier input waits for room, or after the last frame was queued.
    private bool MayRead => !_connection.IsOver && !_writer.IsLastGiven && !_writer.IsCongested && Volatile.Read(ref _pauses) <= 0;

    public void Start() => _ = ReadAsync();

    public void Pause() => Interlocked.Increment(ref _pauses);

    public void Resume()
    {
        if (Interlocked.Decrement(ref _pauses) == 0)
        {
            TaskCompletionSource? resume;
            lock (_connection.Gate)
            {
                resume = TakeResume();
            }

            resume?.TrySetResult();
        }
    }

    /// <summary>
    /// Cuts the available bytes into frames and hands them in, as long as reading is allowed. Called on a thread that was marked for it.
    /// </summary>
    public void RunFrames()
    {
        try
        {
            if (_link.Violation is { } violation)
            {
                _input.Refuse(violation);
            }
            else
            {
                _input.Cut();
            }
        }
        finally
        {
            _writer.EndBatch();
        }
    }

    /// <summary>Returns the loop's wait, if it may continue; the caller completes it after the lock. Under the lock.</summary>
    public TaskCompletionSource? TakeResume()
    {
        if (_resume is not { } resume || !(_connection.IsOver || MayRead))
        {
            return null;
        }

        _resume = null;
        return resume;
    }

    /// <summary>Begins a frame. <see cref="EndFrame"/> follows.</summary>
    /// <returns>False when reading is not allowed.</returns>
    public bool TryBeginFrame()
    {
        lock (_connection.Gate)
        {
            if (!MayRead)
            {
                return false;
            }

            Turn = ConnectionReaderState.InStages;
            _writer.JoinBatch();
            return true;
        }
    }

    public void EndFrame()
    {
        bool tells;
        lock (_connection.Gate)
        {
            Turn = ConnectionReaderState.Cutting;
            tells = _connection.TryReport();
        }

        if (tells)
        {
            _connection.Report();
        }
    }

    private async Task ReadAsync()
    {
        Exception? error = null;
        bool hasEnded = false;
        int reads = 0;
        lock (_connection.Gate)
        {
            IsReading = true;
        }

        try
        {
            // Code that opens connections must not wait for the handling of their frames.
            await default(YieldToPool);
            while (TryTakeTurn(out Task? wait))
            {
                if (wait is not null)
                {
                    if (!_link.TryPause())
                    {
                        throw _charge.Refusal();
                    }

                    await wait.ConfigureAwait(false);
                    continue;
                }

                if (!_input.HasUncut)
                {
                    if (_input.IsEmpty || _link.HasRecords)
                    {
                        // No memory is held while nothing arrives, and the wait leaves the thread to others.
                        ValueTask<int> wake = _link.WaitAsync();
                        reads = wake.IsCompleted ? reads : 0;
                        await wake.ConfigureAwait(false);
                        if (!MayRead)
                        {
                            continue;
                        }

                        if (_link.HasMessages)
                        {
                            _input.OnMessageBegun();
                        }
                    }

                    if (++reads >= UserCodePolicy.ItemsAtOnce)
                    {
                        reads = 0;
                        await Task.Yield();
                    }

                    int count = await _link.ReadAsync(_input.GetMemory()).ConfigureAwait(false);
                    if (_link.HasMessages ? _link.HasEnded : count == 0)
                    {
                        hasEnded = true;
                        break;
                    }

                    if (count == 0 && !_link.IsMessageWhole && _link.Violation is null)
                    {
                        // A fragment without a byte: the time limit of the message continues.
                        _input.ReleaseCapacity();
                        continue;
                    }

                    HasHeard = true;
                    _input.OnRead(count);
                }

                if (TryRunElsewhere() is { } done)
                {
                    await done.ConfigureAwait(false);
                }
                else
                {
                    _role.Run();
                }
            }
        }
#pragma warning disable CA1031 // any exception ends the connection and nothing else
        catch (Exception exception)
#pragma warning restore CA1031
        {
            error = exception;
        }

        _input.Release();
        _charge.Release();
        if (error is not null)
        {
            _connection.EndBy(error);
        }
        else if (!hasEnded)
        {
            await DiscardAsync().ConfigureAwait(false);
        }
        else if (_link.EndsBothWays)
        {
            await EndOutputAsync().ConfigureAwait(false);
        }

        bool tells;
        lock (_connection.Gate)
        {
            IsReading = false;
            tells = hasEnded && !_connection.IsOver;
        }

        if (tells)
        {
            _connection.OnReceiveEnded();
        }
        else if (hasEnded)
        {
            // The local side was ended meanwhile.
            _connection.EndLingering();
        }

        _connection.Leave();
    }

    /// <summary>Whether the connection may be read.</summary>
    /// <param name="wait">Completes when it may be read; null when it may be read now.</param>
    private bool TryTakeTurn(out Task? wait)
    {
        bool isFull;
        wait = null;
        lock (_connection.Gate)
        {
            if (_connection.IsOver || _writer.IsLastGiven)
            {
                return false;
            }

            if (MayRead)
            {
                return true;
            }

            isFull = _writer.IsCongested;
            _resume ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            wait = _resume.Task;
        }

        if (isFull)
        {
            _context.Counters.Add(CoapCounter.ReadingPauses);
        }

        _input.OnPaused();
        return true;
    }

    /// <summary>Runs the frames on a thread of the library if the pool cannot spare this one.</summary>
    /// <returns>Completes when that is done; null when this thread must run them.</returns>
    private Task? TryRunElsewhere()
    {
        if (!_host.IsPoolTaken)
        {
            return null;
        }

        TaskCompletionSource done = new(TaskCreationOptions.RunContinuationsAsynchronously);
        bool isQueued = _context.Scheduler.TryQueue(
            static state => RunElsewhere(((AsyncConnectionUserCodeTracker, TaskCompletionSource))state!),
            (_role, done),
            _context.Counters,
            _context.Logger);
        return isQueued ? done.Task : null;
    }

    private static void RunElsewhere((AsyncConnectionUserCodeTracker Role, TaskCompletionSource Done) work)
    {
        try
        {
            work.Role.Run();
            work.Done.SetResult();
        }
#pragma warning disable CA1031 // the reader ends the connection with it
        catch (Exception exception)
#pragma warning restore CA1031
        {
            work.Done.SetException(exception);
        }
    }

    // The peer's end was also the local end: notifies the peer, as far as possible.
    private async ValueTask EndOutputAsync()
    {
        try
        {
            await _link.EndOutputAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // it has ended either way
        catch (Exception)
#pragma warning restore CA1031
        {
        }
    }

    // The local side was ended in order. Remaining input of the peer is discarded until it ends its side: closing a socket with unread
    // bytes resets the connection, and the peer would lose the last sent data.
    private async ValueTask DiscardAsync()
    {
        try
        {
            int total = 0;
            int count;
            do
            {
                count = await _link.DiscardAsync(s_discarded).ConfigureAwait(false);
                total += count;
            }
            while (count > 0 && total < MaxDiscarded);
        }
#pragma warning disable CA1031 // the connection ended in another way, and the cause is irrelevant
        catch (Exception)
#pragma warning restore CA1031
        {
        }

        _connection.EndLingering();
    }
}
