namespace CoAP.NET;

/// <summary>
/// A fault that lasts is told once and then once a minute, however often it is met: a log that fills is a second fault. Counters have the
/// rest. For all threads.
/// </summary>
internal sealed class OccasionalLog(TimeProvider time)
{
    private static readonly TimeSpan s_period = TimeSpan.FromMinutes(1);

    private long _told;

    /// <summary>Whether it may be told now; whoever is told so, tells it.</summary>
    public bool IsDue()
    {
        // 0 stands for never.
        long now = time.GetTimestamp() | 1;
        long told = Volatile.Read(ref _told);
        return (told == 0 || time.GetElapsedTime(told, now) >= s_period) && Interlocked.CompareExchange(ref _told, now, told) == told;
    }
}
