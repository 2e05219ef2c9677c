namespace CoAP.NET;

/// <summary>
/// Judges whether a handler blocks its thread: three calls above the threshold within a minute make it slow for five minutes.
/// The first calls are not counted (the runtime compiles then), nor is the time that garbage collections took; nor do three calls count among thousands
/// that were quick: there the thread was kept off its processor, not the handler at fault. Safe for several threads.
/// </summary>
internal sealed partial class SlowWatch
{
    public const int BlocksToBeSlow = 3;
    public const int FirstCalls = 3;

    /// <summary>Among more calls than this, three blocks are none of the handler's.</summary>
    public const int CallsToBeQuick = 3000;

    public static readonly TimeSpan Threshold = TimeSpan.FromMilliseconds(20);
    public static readonly TimeSpan Within = TimeSpan.FromMinutes(1);
    public static readonly TimeSpan SlowFor = TimeSpan.FromMinutes(5);

    // The role is taken after some milliseconds; of those the collector had none of.
    private static readonly TimeSpan s_takenThreshold = TimeSpan.FromMilliseconds(3);

    private const int QuickCallsAtOnce = 16;

    // Of _aside.
    private const int Slow = 1;
    private const int Costly = 2;

    [ThreadStatic]
    private static byte t_quickCalls;

    private readonly TimeProvider _time;
    private readonly Lock _gate = new();
    private readonly long[] _blocks = new long[BlocksToBeSlow];
    private int _blockCount;
    private readonly long[] _callsAtBlock = new long[BlocksToBeSlow];
    private long _calls;
    private long _slowSince;
    private int _aside;

    public SlowWatch(TimeProvider time)
    {
        _time = time;
    }

    /// <summary>Whether nothing keeps the handler away from receiving threads. A field read while it never blocked.</summary>
    public bool IsInline => Volatile.Read(ref _aside) == 0;

    /// <summary>Whether the handler is to be kept away from receiving threads now, as it blocks them.</summary>
    public bool IsSlow => (Volatile.Read(ref _aside) & Slow) != 0 && StillSlow();

    /// <summary>Takes the time of a call that did not take the thread for long; cheap.</summary>
    /// <param name="started">When it began, in units of 100 ns.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="pausesBefore">How long garbage collections had stopped the process when it began.</param>
    /// <returns>Whether the handler became slow by it.</returns>
    public bool Observe(long started, long now, TimeSpan pausesBefore)
    {
        // Updates of several threads may get lost; nothing depends on the last digit.
        if (_calls < FirstCalls)
        {
            _calls++;
            return false;
        }

        ObserveQuick();
        if (UserCode.Role is { IsCrowded: true })
        {
            NoteCost(now - started);
        }

        return now - started > Threshold.Ticks && IsBlock(started, now, GC.GetTotalPauseDuration() - pausesBefore, Threshold);
    }

    /// <summary>Takes the time of a call during which the receive role was taken from its thread: others waited, however long it was.</summary>
    /// <param name="started">When it began, in units of 100 ns.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="pausesBefore">How long garbage collections had stopped the process when it began.</param>
    /// <returns>Whether the handler became slow by it.</returns>
    public bool ObserveTaken(long started, long now, TimeSpan pausesBefore)
    {
        if (_calls < FirstCalls)
        {
            _calls++;
            return false;
        }

        ObserveQuick();
        return IsBlock(started, now, GC.GetTotalPauseDuration() - pausesBefore, s_takenThreshold);
    }

    /// <summary>Counts a call that did not take its thread for long: every sixteenth of a thread for sixteen, as several processors that write one number hinder each other.</summary>
    /// <returns>False.</returns>
    public bool ObserveQuick()
    {
        if ((++t_quickCalls % QuickCallsAtOnce) == 0)
        {
            _calls += QuickCallsAtOnce;
        }

        return false;
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

            // The oldest of the last three is overwritten; the block is the third within the time when that one is young enough.
            int at = _blockCount++ % BlocksToBeSlow;
            _blocks[at] = now;
            _callsAtBlock[at] = _calls;
            int oldest = _blockCount % BlocksToBeSlow;
            if (_blockCount < BlocksToBeSlow || TimeSpan.FromTicks(now - _blocks[oldest]) > Within || _calls - _callsAtBlock[oldest] > CallsToBeQuick)
            {
                return false;
            }

            _slowSince = _time.GetTimestamp();
            Interlocked.Or(ref _aside, Slow);
            return true;
        }
    }

    private bool StillSlow()
    {
        lock (_gate)
        {
            if ((_aside & Slow) != 0 && _time.GetElapsedTime(_slowSince) >= SlowFor)
            {
                _blockCount = 0;
                Interlocked.And(ref _aside, ~Slow);
            }

            return (_aside & Slow) != 0;
        }
    }
}
