namespace CoAP.NET.Execution;

/// <summary>Judges a handler as quick, slow or costly. Thread-safe.</summary>
/// <remarks>
/// A handler is slow when it blocked its thread several times lately. It is costly when it is quick, but an overloaded loop does nothing
/// else. New datagrams then wait in the operating system behind thousands of calls until they are dropped unseen. On other threads they
/// wait where they are counted, and the excess is refused at once. The first calls do not count, nor does the time of garbage collections,
/// nor do blocks among thousands of quick calls, where the thread was kept off its processor.
/// </remarks>
internal sealed class HandlerCostEstimator
{
    // Flags of _aside.
    private const int Slow = 1;
    private const int Costly = 2;

    [ThreadStatic]
    private static byte t_quickCalls;

    private readonly TimeProvider _time;
    private int _aside;

    // Concurrent updates may get lost; exactness does not matter.
    private long _calls;

    private readonly Lock _gate = new();

    // Guarded by _gate.
    private readonly long[] _blocks = new long[UserCodePolicy.BlocksToBeSlow];
    private readonly long[] _callsAtBlock = new long[UserCodePolicy.BlocksToBeSlow];
    private int _blockCount;
    private long _slowSince;

    // The total, blocked and cheap calls on threads of their own. Updates of the first and the last may get lost
    // too.
    private int _callsAside;
    private int _blocksAside;
    private int _cheapAside;
    private long _toldAt = long.MinValue;

    // Updates may get lost here too; the decision then takes some more calls.
    private int _costlyCalls;
    private long _waitedAt;

    public HandlerCostEstimator(TimeProvider time)
    {
        _time = time;
    }

    /// <summary>Whether the handler may run on receiving threads. A field read while it was never slow or costly.</summary>
    public bool IsInline => Volatile.Read(ref _aside) == 0;

    /// <summary>Whether the handler must not run on receiving threads now, because it blocks them.</summary>
    public bool IsSlow => (Volatile.Read(ref _aside) & Slow) != 0 && StillSlow();

    /// <summary>Whether the handler must not run on receiving threads now, because they have no time for it.</summary>
    public bool IsCostly(bool isWaitedFor)
    {
        if ((Volatile.Read(ref _aside) & Costly) == 0)
        {
            return false;
        }

        if (isWaitedFor)
        {
            Volatile.Write(ref _waitedAt, _time.GetTimestamp());
            return true;
        }

        if (_time.GetElapsedTime(Volatile.Read(ref _waitedAt)) < UserCodePolicy.CostlyFor)
        {
            return true;
        }

        _costlyCalls = 0;
        Interlocked.And(ref _aside, ~Costly);
        return false;
    }

    /// <summary>Judges a call on a receiving thread.</summary>
    /// <param name="started">The start, in units of 100 ns.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <param name="pausesBefore">The total pause time of garbage collections at the start.</param>
    /// <returns>Whether the call made the handler slow and this was not reported lately.</returns>
    public bool Observe(long started, long now, TimeSpan pausesBefore)
    {
        if (_calls < UserCodePolicy.FirstCalls)
        {
            _calls++;
            return false;
        }

        ObserveQuick();
        if (UserCodeScope.Role is { IsCrowded: true })
        {
            NoteCost(now - started);
        }

        return now - started > UserCodePolicy.BlockedFrom.Ticks
            && IsBlock(started, now, GC.GetTotalPauseDuration() - pausesBefore, UserCodePolicy.BlockedFrom);
    }

    /// <summary>Judges a call whose thread lost the receive role: others waited, however long it took.</summary>
    /// <param name="started">The start, in units of 100 ns.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <param name="pausesBefore">The total pause time of garbage collections at the start.</param>
    /// <returns>Whether the call made the handler slow and this was not reported lately.</returns>
    public bool ObserveTaken(long started, long now, TimeSpan pausesBefore)
    {
        if (_calls < UserCodePolicy.FirstCalls)
        {
            _calls++;
            return false;
        }

        ObserveQuick();
        return IsBlock(started, now, GC.GetTotalPauseDuration() - pausesBefore, UserCodePolicy.BlockedFromWhenTaken);
    }

    /// <summary>Counts calls that were certainly short, several at a time.</summary>
    /// <returns>False.</returns>
    public bool ObserveQuick()
    {
        if ((++t_quickCalls % UserCodePolicy.QuickCallsAtOnce) == 0)
        {
            _calls += UserCodePolicy.QuickCallsAtOnce;
        }

        return false;
    }

    /// <summary>
    /// Judges a call on a library thread, where it delayed nothing. If hardly any of many calls blocked, the cause was not the handler, but
    /// the compilation by the runtime or the system's scheduling, and the handler may return to receiving threads. It may also return when
    /// nearly all calls were cheap, even while requests wait for it.
    /// </summary>
    /// <param name="time">The duration, in units of 100 ns.</param>
    public void ObserveAside(long time)
    {
        // Most calls do not block, and the threads that serve a handler do not wait for each other here.
        if (time > UserCodePolicy.BlockedFromWhenTaken.Ticks)
        {
            Interlocked.Increment(ref _blocksAside);
        }

        if (time < UserCodePolicy.CostlyFrom.Ticks)
        {
            _cheapAside++;
        }

        if (++_callsAside < UserCodePolicy.CallsToComeBack)
        {
            return;
        }

        lock (_gate)
        {
            if (_callsAside < UserCodePolicy.CallsToComeBack)
            {
                // Another thread was here just now.
                return;
            }

            if (_blocksAside <= UserCodePolicy.BlocksToComeBack && (_aside & Slow) != 0)
            {
                _blockCount = 0;
                Interlocked.And(ref _aside, ~Slow);
            }

            if (_cheapAside >= UserCodePolicy.CheapCallsToComeBack && (_aside & Costly) != 0)
            {
                _costlyCalls = 0;
                Interlocked.And(ref _aside, ~Costly);
            }

            (_callsAside, _blocksAside, _cheapAside) = (0, 0, 0);
        }
    }

    private void NoteCost(long time)
    {
        if (time < UserCodePolicy.CostlyFrom.Ticks)
        {
            _costlyCalls = 0;
        }
        else if (++_costlyCalls >= UserCodePolicy.CallsToBeCostly)
        {
            Volatile.Write(ref _waitedAt, _time.GetTimestamp());
            Interlocked.Or(ref _aside, Costly);
        }
    }

    private bool IsBlock(long started, long now, TimeSpan pauses, TimeSpan threshold)
    {
        if (TimeSpan.FromTicks(now - started) - pauses <= threshold)
        {
            return false;
        }

        lock (_gate)
        {
            if ((_aside & Slow) != 0)
            {
                return false;
            }

            // The oldest of the last blocks is overwritten. There were enough within the time if the next oldest is recent enough.
            int at = _blockCount++ % UserCodePolicy.BlocksToBeSlow;
            _blocks[at] = now;
            _callsAtBlock[at] = _calls;
            int oldest = _blockCount % UserCodePolicy.BlocksToBeSlow;
            if (_blockCount < UserCodePolicy.BlocksToBeSlow
                || TimeSpan.FromTicks(now - _blocks[oldest]) > UserCodePolicy.BlocksWithin
                || _calls - _callsAtBlock[oldest] > UserCodePolicy.CallsToBeQuick)
            {
                return false;
            }

            _slowSince = _time.GetTimestamp();
            Interlocked.Or(ref _aside, Slow);
            (_callsAside, _blocksAside, _cheapAside) = (0, 0, 0);

            // A handler that is slow repeatedly is reported once in this time.
            bool isTold = _toldAt != long.MinValue && _time.GetElapsedTime(_toldAt) < UserCodePolicy.SlowFor;
            _toldAt = isTold ? _toldAt : _slowSince;
            return !isTold;
        }
    }

    private bool StillSlow()
    {
        lock (_gate)
        {
            if ((_aside & Slow) != 0 && _time.GetElapsedTime(_slowSince) >= UserCodePolicy.SlowFor)
            {
                _blockCount = 0;
                Interlocked.And(ref _aside, ~Slow);
            }

            return (_aside & Slow) != 0;
        }
    }
}
