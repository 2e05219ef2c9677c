namespace CoAP.NET.Execution;

/// <summary>
/// Judges whether user code of one kind, such as the handler of a route, runs on the receiving threads or elsewhere. Thread-safe.
/// </summary>
/// <remarks>
/// User code leaves the receiving threads when <see cref="UserCodePolicy.CallsOfChance"/> calls took longer than
/// <see cref="UserCodePolicy.HandOverAfter"/>, or as many in a row took longer than <see cref="UserCodePolicy.CostlyFrom"/> while others
/// waited for the thread. On an overloaded loop new datagrams wait in the operating system behind thousands of such calls until they are
/// dropped unseen. Elsewhere requests wait where they are counted, and the excess is refused at once.
/// </remarks>
/// <param name="time">The clock.</param>
internal sealed class UserCodeCost(TimeProvider time)
{
    // Counts to 256. Processors that all write one number with each call would slow each other down.
    [ThreadStatic]
    private static byte t_quickCalls;

    private readonly Lock _gate = new();

    // Concurrent updates of these two may get lost, which only delays a decision.
    private long _calls;
    private int _costlyInARow;

    // Guarded by _gate; the first two are read without it.
    private bool _isAside;
    private long _asideSince;
    private bool _wasAside;
    private int _longCalls;
    private long _firstLongAt;
    private long _callsAtFirstLong;
    private int _callsAside;
    private int _cheapAside;
    private int _longAside;

    /// <summary>Whether the code must not run on receiving threads now. A field read while it was never moved.</summary>
    public bool IsAside => Volatile.Read(ref _isAside) && IsStillAside();

    /// <summary>Judges a call on a receiving thread.</summary>
    /// <param name="duration">How long it took, without pauses of garbage collections.</param>
    /// <param name="isWaitedFor">Whether others wait for the thread: <see cref="UserCodePolicy.CostlyFrom"/> is then too long.</param>
    /// <returns>Whether calls like this one moved the code, and had not moved it lately.</returns>
    public bool Observe(TimeSpan duration, bool isWaitedFor)
    {
        if (_calls < UserCodePolicy.CallsOfChance)
        {
            _calls++;
            return false;
        }

        ObserveQuick();
        if (duration > UserCodePolicy.HandOverAfter)
        {
            return ObserveLong();
        }

        if (isWaitedFor)
        {
            _costlyInARow = duration < UserCodePolicy.CostlyFrom ? 0 : _costlyInARow + 1;
            if (_costlyInARow >= UserCodePolicy.CallsOfChance)
            {
                Move();
            }
        }

        return false;
    }

    /// <summary>Counts a call on a receiving thread that was certainly short.</summary>
    public void ObserveQuick()
    {
        if (++t_quickCalls == 0)
        {
            _calls += byte.MaxValue + 1;
        }
    }

    /// <summary>
    /// Judges a call elsewhere, where it delayed nothing. If nearly all of many calls were short, the cause was not the code, but its
    /// compilation or the system's scheduling, and it comes back.
    /// </summary>
    /// <param name="duration">How long it took.</param>
    public void ObserveAside(TimeSpan duration)
    {
        lock (_gate)
        {
            _cheapAside += duration < UserCodePolicy.CostlyFrom ? 1 : 0;
            _longAside += duration > UserCodePolicy.HandOverAfter ? 1 : 0;
            if (++_callsAside < UserCodePolicy.CallsToJudge)
            {
                return;
            }

            _isAside &= _longAside > 1 || _cheapAside <= UserCodePolicy.CallsToJudge / 2;
            (_callsAside, _cheapAside, _longAside) = (0, 0, 0);
        }
    }

    /// <summary>Moves the code off the receiving threads for <see cref="UserCodePolicy.AsideFor"/>.</summary>
    /// <returns>Whether it was not there lately.</returns>
    public bool Move()
    {
        lock (_gate)
        {
            if (_isAside)
            {
                return false;
            }

            // It was there for some time, and has behaved well for as long since then.
            bool isNew = !_wasAside || time.GetElapsedTime(_asideSince) > 2 * UserCodePolicy.AsideFor;
            _asideSince = time.GetTimestamp();
            _longCalls = _costlyInARow = 0;
            (_callsAside, _cheapAside, _longAside) = (0, 0, 0);
            _isAside = _wasAside = true;
            return isNew;
        }
    }

    private bool ObserveLong()
    {
        lock (_gate)
        {
            // Calls that are rarer than one in CallsToJudge are counted from the first again.
            if (_longCalls == 0 || time.GetElapsedTime(_firstLongAt) > UserCodePolicy.AsideFor
                || _calls - _callsAtFirstLong > UserCodePolicy.CallsOfChance * UserCodePolicy.CallsToJudge)
            {
                (_longCalls, _firstLongAt, _callsAtFirstLong) = (0, time.GetTimestamp(), _calls);
            }

            return ++_longCalls >= UserCodePolicy.CallsOfChance && Move();
        }
    }

    private bool IsStillAside()
    {
        lock (_gate)
        {
            return _isAside &= time.GetElapsedTime(_asideSince) < UserCodePolicy.AsideFor;
        }
    }
}
