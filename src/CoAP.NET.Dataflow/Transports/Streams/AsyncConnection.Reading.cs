using System.Buffers;

namespace CoAP.NET.Transports;

// One loop reads, cuts and hands in, on whatever thread of the pool the platform calls it. While nothing comes it holds no memory but its own state.
internal sealed partial class AsyncConnection
{
    // So many reads that found something at once: then others of the pool have their turn.
    private const int ReadsAtOnce = 16;

    private readonly FrameBuffer _input = new();
    private readonly ReadCharge _charge;
    private bool _isReading;

    // Touched by the reader only.
    private bool _hasUncut;

    private long _frames;
    private long _partial;
    private long _partialReceived;

    // Nothing is cut while what was read before waits for room, nor after the last frame was given to be sent.
    private bool MayRead => !_isOver && !_isLastGiven && !_isCongested && Volatile.Read(ref _pauses) <= 0;

    /// <summary>Cuts what is there into frames and hands them in, as long as the connection may be read. Called on a thread that was marked for it.</summary>
    public void RunFrames()
    {
        BeginBatch();
        try
        {
            if (_link.Violation is { } violation)
            {
                Refuse(violation);
            }
            else
            {
                CutFrames();
            }
        }
        finally
        {
            EndBatch();
        }
    }

    private async Task ReadAsync()
    {
        Exception? error = null;
        bool hasEnded = false;
        int reads = 0;
        lock (_gate)
        {
            _isReading = true;
        }

        try
        {
            // Nobody who opens connections waits for what is done with their frames.
            await default(PoolTurn);
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

                if (!_hasUncut)
                {
                    if (_input.Length == 0 || _link.HasRecords)
                    {
                        // Nothing is held while nothing comes.
                        await _link.WaitAsync().ConfigureAwait(false);
                        if (!MayRead)
                        {
                            continue;
                        }

                        if (_link.HasMessages)
                        {
                            // It has begun, even if none of its bytes are there.
                            Volatile.Write(ref _partial, 1);
                        }
                    }

                    if (++reads >= ReadsAtOnce)
                    {
                        // Whoever sends faster than we read would have a thread of the pool for itself.
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
                        // A fragment without a byte: the time for the message goes on.
                        _input.Trim();
                        continue;
                    }

                    _hasUncut = true;
                    _hasHeard = true;
                    _input.Advance(count);
                }

                if (TryRunElsewhere() is { } done)
                {
                    await done.ConfigureAwait(false);
                }
                else
                {
                    AsyncReceiveRole.Run(this);
                }
            }
        }
#pragma warning disable CA1031 // whatever it was, the connection ends by it and nothing else
        catch (Exception exception)
#pragma warning restore CA1031
        {
            error = exception;
        }

        _input.Release();
        _charge.Release();
        if (error is not null)
        {
            End(_link.Explain(error, _hasHeard), lingers: false);
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
        lock (_gate)
        {
            _isReading = false;
            tells = hasEnded && !_isOver;
        }

        if (tells)
        {
            OnReceiveEnded();
        }
        else if (hasEnded)
        {
            // Our side was ended meanwhile.
            EndLingering();
        }

        Hold(-1);
    }

    /// <summary>Whether the connection is to be read at all.</summary>
    /// <param name="wait">Ends when it may be read; null when it may be now.</param>
    private bool TryTakeTurn(out Task? wait)
    {
        bool isFull;
        wait = null;
        lock (_gate)
        {
            if (_isOver || _isLastGiven)
            {
                return false;
            }

            if (MayRead)
            {
                return true;
            }

            isFull = _isCongested;
            _resume ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            wait = _resume.Task;
        }

        if (isFull)
        {
            _context.Counters.Add(CoapCounter.ReadingPauses);
        }

        // That it does not go on is not the peer's fault.
        Volatile.Write(ref _partial, 0);
        return true;
    }

    /// <summary>Runs the frames on a thread of the library, where the pool cannot spare this one.</summary>
    /// <returns>Ends when that is done; null when they are to be run here.</returns>
    private Task? TryRunElsewhere()
    {
        // With as many threads of the pool in user code as there are processors some of them wait, and further ones might, until nobody is left to read.
        if (!_host.IsPoolTaken)
        {
            return null;
        }

        TaskCompletionSource done = new(TaskCreationOptions.RunContinuationsAsynchronously);
        return _context.Scheduler.TryQueue(static state => RunElsewhere(((AsyncConnection, TaskCompletionSource))state!), (this, done), _context.Counters, _context.Logger) ? done.Task : null;
    }

    private static void RunElsewhere((AsyncConnection Connection, TaskCompletionSource Done) work)
    {
        try
        {
            AsyncReceiveRole.Run(work.Connection);
            work.Done.SetResult();
        }
#pragma warning disable CA1031 // the reader ends the connection by it
        catch (Exception exception)
#pragma warning restore CA1031
        {
            work.Done.SetException(exception);
        }
    }
}
