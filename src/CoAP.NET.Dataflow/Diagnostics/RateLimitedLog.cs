namespace CoAP.NET.Diagnostics;

/// <summary>
/// Rate-limits a log message, by default to one per minute, because a persistent fault or a stranger must not fill the log. Counters count
/// every occurrence. Thread-safe.
/// </summary>
/// <param name="time">The clock.</param>
/// <param name="perMinute">How many messages a minute may have.</param>
internal sealed class RateLimitedLog(TimeProvider time, int perMinute = 1)
{
    private static readonly TimeSpan s_period = TimeSpan.FromMinutes(1);

    private readonly Lock _gate = new();
    private long _since;
    private long _leftOut;
    private int _left;
    private bool _hasBegun;

    /// <summary>Returns true while the minute has room; the caller then logs.</summary>
    public bool IsDue() => IsDue(out _);

    /// <summary>Returns true while the minute has room; the caller then logs.</summary>
    /// <param name="leftOut">The number of occurrences since the last log that were not logged.</param>
    public bool IsDue(out long leftOut)
    {
        long now = time.GetTimestamp();
        lock (_gate)
        {
            if (!_hasBegun || time.GetElapsedTime(_since, now) >= s_period)
            {
                (_hasBegun, _since, _left) = (true, now, perMinute);
            }

            if (_left == 0)
            {
                _leftOut++;
                leftOut = 0;
                return false;
            }

            _left--;
            (leftOut, _leftOut) = (_leftOut, 0);
            return true;
        }
    }
}
