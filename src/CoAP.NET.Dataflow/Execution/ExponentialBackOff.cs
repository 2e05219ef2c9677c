namespace CoAP.NET.Execution;

/// <summary>Computes exponential back-off times with jitter. A pure function: the caller passes the random number.</summary>
internal static class ExponentialBackOff
{
    /// <summary>Returns the wait in units of 100 ns. It doubles with each failure up to a limit, and half of it is random.</summary>
    /// <param name="failures">The number of earlier failures in a row.</param>
    /// <param name="first">The full wait after the first failure.</param>
    /// <param name="bound">The longest wait; infinite for no limit.</param>
    /// <param name="chance">A random number of at least 0 and less than 1.</param>
    public static long Of(int failures, TimeSpan first, TimeSpan bound, double chance)
    {
        long limit = bound == Timeout.InfiniteTimeSpan ? long.MaxValue / 4 : bound.Ticks;
        long begin = first == Timeout.InfiniteTimeSpan ? limit : Math.Min(first.Ticks, limit);
        int doublings = Math.Clamp(failures, 0, 32);
        long whole = begin > limit >> doublings ? limit : begin << doublings;
        return (long)(whole * (0.5 + (0.5 * chance)));
    }
}
