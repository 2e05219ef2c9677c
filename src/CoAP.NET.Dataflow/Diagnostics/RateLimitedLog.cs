namespace CoAP.NET;

/// <summary>
/// Rate-limits a log message to one per minute, because a persistent fault must not fill the log. Counters count every occurrence.
/// Thread-safe.
/// </summary>
internal sealed class RateLimitedLog(TimeProvider time)
{
    private static readonly TimeSpan s_period = TimeSpan.FromMinutes(1);

    private long _told;
    private long _leftOut;

    /// <summary>Returns true at most once per minute; the caller then logs.</summary>
    public bool IsDue() => IsDue(out _);

    /// <summary>Returns true at most once per minute; the caller then logs.</summary>
    /// <param name="leftOut">The number of occurrences since the last log that were not logged.</param>
    public bool IsDue(out long leftOut)
    {
        // 0 means never.
        long now = time.GetTimestamp() | 1;
        long told = Volatile.Read(ref _told);
        if ((told == 0 || time.GetElapsedTime(told, now) >= s_period) && Interlocked.CompareExchange(ref _told, now, told) == told)
        {
            leftOut = Interlocked.Exchange(ref _leftOut, 0);
            return true;
        }

        leftOut = 0;
        Interlocked.Increment(ref _leftOut);
        return false;
    }
}
