namespace CoAP.NET.Observing.Server;

/// <summary>
/// Computes the minimum sequence number of a notification at a time, so that numbers grow over restarts of the process and of the machine
/// (RFC 7641 sections 3.4 and 4.4): the wall clock at the start of the endpoint, and from there the monotonic clock, which is never set.
/// </summary>
/// <remarks>
/// A wall clock may have been set back between two runs, for example by a time server. A run therefore starts with a lead over the wall
/// clock, and loses the lead slowly: a run after one that lasted <see cref="s_leadLasts"/> is ahead of it even if the clock was set back by
/// the whole lead. A run after a shorter one is ahead by a part of it. Beyond that, a client may consider new notifications old, for at
/// most 128 s.
/// </remarks>
internal sealed class SequenceNumberClock
{
    /// <summary>
    /// The number of counts per second: 2^24 numbers wrap around in 1,024 s, and 256 s are 2^22 (RFC 7641 section 4.4 allows fewer than
    /// 2^23).
    /// </summary>
    public const long PerSecond = 1 << 14;

    private static readonly long s_lead = TimeSpan.FromSeconds(60).Ticks;
    private static readonly long s_leadLasts = TimeSpan.FromHours(1).Ticks;

    private readonly long _wall;
    private readonly long _start;

    public SequenceNumberClock(CoapEnvironment environment)
        : this(environment.TimeProvider.GetUtcNow().UtcTicks, environment.Now)
    {
    }

    /// <param name="wall">The wall clock at the start, in units of 100 ns.</param>
    /// <param name="start">The monotonic clock at the start, in units of 100 ns.</param>
    public SequenceNumberClock(long wall, long start)
    {
        _wall = wall;
        _start = start;
    }

    /// <summary>
    /// Returns a number above those of all processes with the same wall clock: they may have started a moment ago, with the whole lead.
    /// </summary>
    /// <param name="now">The monotonic clock, in units of 100 ns.</param>
    public long Ahead(long now) => At(now) + (s_lead / TimeSpan.TicksPerSecond * PerSecond);

    /// <summary>Returns the number for a time; not reduced to 24 bits.</summary>
    /// <param name="now">The monotonic clock, in units of 100 ns.</param>
    public long At(long now)
    {
        long elapsed = Math.Max(0, now - _start);
        long lead = elapsed >= s_leadLasts ? 0 : s_lead - (long)((double)s_lead * elapsed / s_leadLasts);
        return NumberOf(_wall + elapsed + lead);
    }

    /// <summary>Converts a time to a number; not reduced to 24 bits.</summary>
    /// <param name="time">The time, in units of 100 ns.</param>
    public static long NumberOf(long time)
    {
        (long seconds, long ticks) = Math.DivRem(time, TimeSpan.TicksPerSecond);
        return (seconds * PerSecond) + (ticks * PerSecond / TimeSpan.TicksPerSecond);
    }
}
