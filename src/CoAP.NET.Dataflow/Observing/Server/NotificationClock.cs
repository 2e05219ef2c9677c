namespace CoAP.NET.Observing;

/// <summary>
/// The least number that a notification may have at a time, so that numbers rise over restarts of the process and of the machine (RFC 7641
/// sections 3.4 and 4.4): the wall clock when the endpoint was made, and from there the monotonic clock, which nobody sets.
/// </summary>
/// <remarks>
/// A wall clock may have been set back between two runs, as by a time server. So a run begins a lead ahead of the wall clock, and loses the
/// lead slowly: whoever begins after one that ran for <see cref="s_leadLasts"/> is ahead of it although the clock was set back by as much
/// as the lead, and one after a shorter run still is, by a part of it. Beyond that a client may take what is new for old, for at most 128
/// s.
/// </remarks>
internal sealed class NotificationClock
{
    /// <summary>
    /// How many numbers the clock counts in a second: 2^24 numbers come round in 1,024 s, and 256 s are 2^22 (RFC 7641 section 4.4 allows
    /// fewer than 2^23).
    /// </summary>
    public const long PerSecond = 1 << 14;

    private static readonly long s_lead = TimeSpan.FromSeconds(60).Ticks;
    private static readonly long s_leadLasts = TimeSpan.FromHours(1).Ticks;

    private readonly long _wall;
    private readonly long _start;

    public NotificationClock(CoapEnvironment environment)
        : this(environment.TimeProvider.GetUtcNow().UtcTicks, environment.Now)
    {
    }

    /// <param name="wall">The wall clock at the start, in units of 100 ns.</param>
    /// <param name="start">The monotonic clock at the start, in units of 100 ns.</param>
    public NotificationClock(long wall, long start)
    {
        _wall = wall;
        _start = start;
    }

    /// <summary>
    /// A number above those of all processes whose wall clocks are as this one's: they may have begun a moment ago, and be a whole lead
    /// ahead.
    /// </summary>
    /// <param name="now">The monotonic clock, in units of 100 ns.</param>
    public long Ahead(long now) => At(now) + (s_lead / TimeSpan.TicksPerSecond * PerSecond);

    /// <summary>The number of a time; not reduced to 24 bits.</summary>
    /// <param name="now">The monotonic clock, in units of 100 ns.</param>
    public long At(long now)
    {
        long elapsed = Math.Max(0, now - _start);
        long lead = elapsed >= s_leadLasts ? 0 : s_lead - (long)((double)s_lead * elapsed / s_leadLasts);
        return NumberOf(_wall + elapsed + lead);
    }

    /// <summary>The number that belongs to a time; not reduced to 24 bits.</summary>
    /// <param name="time">The time, in units of 100 ns.</param>
    public static long NumberOf(long time)
    {
        (long seconds, long ticks) = Math.DivRem(time, TimeSpan.TicksPerSecond);
        return (seconds * PerSecond) + (ticks * PerSecond / TimeSpan.TicksPerSecond);
    }
}
