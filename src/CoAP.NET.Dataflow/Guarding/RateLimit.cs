namespace CoAP.NET.Guarding;

/// <summary>
/// A rate of bytes or events, with a burst. A single number is the whole state: the time when everything drawn will have come back.
/// </summary>
internal readonly struct RateLimit
{
    private readonly double _ticksPerUnit;
    private readonly double _ticksOfBurst;

    private RateLimit(double ticksPerUnit, double ticksOfBurst) => (_ticksPerUnit, _ticksOfBurst) = (ticksPerUnit, ticksOfBurst);

    /// <summary>
    /// Limits what is drawn in any stretch of a period: half of it at once, the other half comes back evenly over the period.
    /// </summary>
    /// <param name="amount">The amount in a period; 0 for nothing at all.</param>
    /// <param name="period">The period.</param>
    public static RateLimit Within(long amount, TimeSpan period) =>
        new(amount == 0 ? double.PositiveInfinity : 2.0 * period.Ticks / amount, period.Ticks);

    /// <summary>Limits what is drawn after a burst.</summary>
    /// <param name="amount">The amount per second, above 0.</param>
    /// <param name="burst">The amount at once.</param>
    public static RateLimit PerSecond(double amount, double burst)
    {
        // Whole ticks, so that the burst has exactly its number.
        double ticks = Math.Ceiling(TimeSpan.TicksPerSecond / amount);
        return new RateLimit(ticks, ticks * burst);
    }

    /// <summary>Draws an amount and returns the new state.</summary>
    /// <param name="until">The current state.</param>
    /// <param name="size">The amount to draw.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <param name="next">The state after the draw.</param>
    /// <param name="left">The fraction of the burst that must be left for others.</param>
    /// <returns>Whether enough was available.</returns>
    public bool TryDraw(long until, int size, long now, out long next, double left = 0)
    {
        double cost = size * _ticksPerUnit;
        long from = Math.Max(until, now);
        if (cost > (_ticksOfBurst * (1 - left)) - (from - now))
        {
            next = until;
            return false;
        }

        next = from + (long)Math.Ceiling(cost);
        return true;
    }

    /// <summary>Returns the time until one unit can be drawn; zero or less if it can be drawn now.</summary>
    /// <param name="until">The current state.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public TimeSpan WaitAt(long until, long now) => TimeSpan.FromTicks((long)(_ticksPerUnit - _ticksOfBurst) + Math.Max(until, now) - now);
}
