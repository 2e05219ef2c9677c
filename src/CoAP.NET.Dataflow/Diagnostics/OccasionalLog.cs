namespace CoAP.NET;

/// <summary>
/// Rate-limits a log message to one per minute, because a persistent fault must not fill the log. Counters count every occurrence.
/// Thread-safe.
/// </summary>
internal sealed class OccasionalLog(TimeProvider time)
{
    private static readonly TimeSpan s_period = TimeSpan.FromMinutes(1);

    private long _told;

    /// <summary>Returns true at most once per minute; the caller then logs.</summary>
    public bool IsDue()
    {
        // 0 means never.
        long now = time.GetTimestamp() | 1;
        long told = Volatile.Read(ref _told);
        return (told == 0 || time.GetElapsedTime(told, now) >= s_period) && Interlocked.CompareExchange(ref _told, now, told) == told;
    }
}
