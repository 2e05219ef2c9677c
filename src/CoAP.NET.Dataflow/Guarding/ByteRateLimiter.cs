namespace CoAP.NET.Guarding;

/// <summary>
/// Limits the bytes in any stretch of a period: half of them are available at once, the other half comes back evenly over the period. A
/// single number is the whole state: the time when all drawn bytes will have come back.
/// </summary>
/// <param name="bytes">The number of bytes in a period; 0 for none at all.</param>
/// <param name="period">The period.</param>
internal readonly struct ByteRateLimiter(long bytes, TimeSpan period)
{
    private readonly double _ticksPerByte = bytes == 0 ? double.PositiveInfinity : 2.0 * period.Ticks / bytes;

    /// <summary>Draws bytes and returns the new state.</summary>
    /// <param name="until">The current state.</param>
    /// <param name="size">The number of bytes to draw.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <param name="next">The state after the draw.</param>
    /// <param name="left">The fraction of the burst that must be left for others.</param>
    /// <returns>Whether enough bytes were available.</returns>
    public bool TryDraw(long until, int size, long now, out long next, double left = 0)
    {
        double cost = size * _ticksPerByte;
        long from = Math.Max(until, now);
        if (cost > (period.Ticks * (1 - left)) - (from - now))
        {
            next = until;
            return false;
        }

        next = from + (long)Math.Ceiling(cost);
        return true;
    }
}
