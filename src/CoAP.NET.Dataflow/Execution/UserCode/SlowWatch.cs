namespace CoAP.NET;

/// <summary>
/// Judges a handler. It is slow when it blocked its thread several times lately. It is costly when it is quick, but is all that an
/// overloaded loop does: what comes then waits in the operating system behind thousands of calls until it is dropped unseen; on other
/// threads it waits where it is counted, and what is too much is refused at once. Thread-safe.
/// </summary>
/// <remarks>
/// The first calls do not count, nor does the time of garbage collections; nor do blocks among thousands of quick calls, where the thread
/// was kept off its processor.
/// </remarks>
internal sealed class SlowWatch
{
    // Of _aside.
    private const int Slow = 1;
    private const int Costly = 2;

    [ThreadStatic]
    private static byte t_quickCalls;

    private readonly TimeProvider _time;
    private int _aside;

    // Updates of several threads may get lost; nothing depends on the last digit.
    private long _calls;

    private readonly Lock _gate = new();

    // Guarded by _gate.
    private readonly long[] _blocks = new long[UserCodePolicy.BlocksToBeSlow];
    private readonly long[] _callsAtBlock = new long[UserCodePolicy.BlocksToBeSlow];
    private int _blockCount;
    private long _slowSince;

    // Of the calls on threads of their own: how many there were, how many of them blocked, and how many were cheap. Updates of the first
    // and the last may get lost, too.
    private int _callsAside;
    private int _blocksAside;
    private int _cheapAside;
    private long _toldAt = long.MinValue;

    // Updates may get lost here, too: it then takes some calls more.
    private int _costlyCalls;
    private long _waitedAt;

    public SlowWatch(TimeProvider time)
    {
        _time = time;
    }

    /// <summary>Whether the handler may run on receiving threads. A field read while it was never slow or costly.</summary>
    public bool IsInline => Volatile.Read(ref _aside) == 0;

    /// <summary>Whether the handler must be kept off receiving threads now, as it blocks them.</summary>
    public bool IsSlow => (Volatile.Read(ref _aside) & Slow) != 0 && StillSlow();

    /// <summary>Whether the handler must be kept off receiving threads now, as they have no time for it.</summary>
    /// <param name="isWaitedFor">Whether requests wait for it.</param>
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

    /// <summary>Judges a call that kept its thread.</summary>
    /// <param name="started">When it began, in units of 100 ns.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="pausesBefore">How long garbage collections had stopped the process when it began.</param>
    /// <returns>Whether the handler became slow by it, and nobody was told of that lately.</returns>
    public bool Observe(long started, long now, TimeSpan pausesBefore)
    {
        if (_calls < UserCodePolicy.FirstCalls)
        {
            _calls++;
            return false;
        }

        ObserveQuick();
        if (UserCode.Role is { IsCrowded: true })
        {
            NoteCost(now - started);
        }

        return now - started > UserCodePolicy.BlockedFrom.Ticks
            && IsBlock(started, now, GC.GetTotalPauseDuration() - pausesBefore, UserCodePolicy.BlockedFrom);
    }

    /// <summary>Judges a call that cost its thread the receive role: others waited, however long it took.</summary>
    /// <param name="started">When it began, in units of 100 ns.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="pausesBefore">How long garbage collections had stopped the process when it began.</param>
    /// <returns>Whether the handler became slow by it, and nobody was told of that lately.</returns>
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

    /// <summary>Counts a call that was certainly short, a number of them at a time.</summary>
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
    /// Judges a call on a thread where it held nobody up: when hardly any of many blocked, it was not the handler that was slow, but the
    /// runtime that compiled it or the system that gave the processor to others, and it may go back to receiving threads. So it may when
    /// nearly all of them were cheap, also while requests wait for it.
    /// </summary>
    /// <param name="time">How long it took, in units of 100 ns.</param>
    public void ObserveAside(long time)
    {
        // Most calls are no blocks, and the threads that serve a handler do not wait for each other here.
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

            // The oldest of the last blocks is overwritten; there were enough within the time when the next oldest is young enough.
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

            // One that comes and goes is told of once in this time.
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
