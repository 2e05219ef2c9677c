namespace CoAP.NET;

/// <summary>How long to wait after attempts that failed: ever longer, and not all at the same moment. Pure: the chance is given.</summary>
internal static class BackOffTimes
{
    /// <summary>The wait in units of 100 ns: twice as long with each failure up to a bound, of which half is drawn by lot.</summary>
    /// <param name="failures">How many attempts failed in a row before this one.</param>
    /// <param name="first">The wait after the first failure, as a whole.</param>
    /// <param name="bound">The longest wait; infinite for none.</param>
    /// <param name="chance">A random number from 0 up to 1.</param>
    public static long Of(int failures, TimeSpan first, TimeSpan bound, double chance)
    {
        long limit = bound == Timeout.InfiniteTimeSpan ? long.MaxValue / 4 : bound.Ticks;
        long begin = first == Timeout.InfiniteTimeSpan ? limit : Math.Min(first.Ticks, limit);
        int doublings = Math.Clamp(failures, 0, 32);
        long whole = begin > limit >> doublings ? limit : begin << doublings;
        return (long)(whole * (0.5 + (0.5 * chance)));
    }
}
