namespace CoAP.NET.Guarding;

/// <summary>
/// Never more than so many bytes in any stretch of a period: half of them at once, the other half comes back evenly over the period. One
/// number says all: until when what was drawn so far takes to come back.
/// </summary>
/// <param name="bytes">How many bytes in a period; 0 for none at all.</param>
/// <param name="period">The period.</param>
internal readonly struct RateBound(long bytes, TimeSpan period)
{
    private readonly double _ticksPerByte = bytes == 0 ? double.PositiveInfinity : 2.0 * period.Ticks / bytes;

    /// <summary>What a draw makes of the number.</summary>
    /// <param name="until">The number so far.</param>
    /// <param name="size">How many bytes to draw.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="next">The number after the draw.</param>
    /// <param name="left">Which part of what there is at once must be left for others.</param>
    /// <returns>Whether there is enough.</returns>
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
