namespace CoAP.NET.Execution;

/// <summary>
/// A time of day that advances as evenly as the monotonic clock, so ages stay right when the system clock is set. It re-reads the system
/// clock only when the two differ by seconds. Thread-safe.
/// </summary>
internal sealed class UtcClockOffset(CoapEnvironment environment)
{
    private static readonly long s_tolerance = TimeSpan.FromSeconds(5).Ticks;
    private static readonly long s_exact = TimeSpan.FromMilliseconds(10).Ticks;
    private const int MaxReadings = 5;

    private long _offset = Read(environment, out _);

    /// <summary>
    /// Returns the offset from <see cref="CoapEnvironment.Now"/> to the time of day (<see cref="DateTimeOffset.UtcTicks"/>). While it is
    /// unchanged, differences of times are exact.
    /// </summary>
    public long Offset()
    {
        long known = Interlocked.Read(ref _offset);
        long offset = Read(environment, out long doubt);
        if (Math.Abs(offset - known) <= s_tolerance + doubt)
        {
            return known;
        }

        // If several threads notice it, the first one decides.
        long before = Interlocked.CompareExchange(ref _offset, offset, known);
        return before == known ? offset : before;
    }

    // The thread may have lost the processor between the readings of the two clocks.
    private static long Read(CoapEnvironment environment, out long doubt)
    {
        long best = 0;
        doubt = long.MaxValue;
        for (int i = 0; i < MaxReadings && doubt > s_exact; i++)
        {
            long before = environment.Now;
            long day = environment.TimeProvider.GetUtcNow().UtcTicks;
            long after = environment.Now;
            if (after - before < doubt)
            {
                doubt = after - before;
                best = day - before;
            }
        }

        return best;
    }
}
