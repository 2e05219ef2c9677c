namespace CoAP.NET.Observing;

/// <summary>When a registration is made again. Pure: the time and the chance are given.</summary>
internal static class RegistrationTimes
{
    private static readonly long s_leastPatience = TimeSpan.FromSeconds(5).Ticks;
    private static readonly long s_patienceSpread = TimeSpan.FromSeconds(10).Ticks;
    private static readonly TimeSpan s_firstBackOff = TimeSpan.FromSeconds(5);

    /// <summary>How long a response may take after the peer has the registration.</summary>
    /// <param name="parameters">Those of the peer.</param>
    public static TimeSpan ResponseTime(CoapTransmissionParameters parameters) =>
        parameters.ResponseTimeout is { } set && set != Timeout.InfiniteTimeSpan
            ? set
            : parameters.MaxTransmitWait + (2 * parameters.MaxLatency);

    /// <summary>When a representation is no longer current (RFC 7641 section 3.3.1), in units of 100 ns.</summary>
    /// <param name="now">When it came.</param>
    /// <param name="maxAge">Its Max-Age.</param>
    public static long StaleAt(long now, TimeSpan maxAge) => now + maxAge.Ticks;

    /// <summary>
    /// How long to wait after a representation became stale: 5 to 15 s, so that clients do not all come at the same time (RFC 7641 section
    /// 3.3.1). In units of 100 ns.
    /// </summary>
    /// <param name="chance">A random number from 0 up to 1.</param>
    public static long Patience(double chance) => s_leastPatience + (long)(s_patienceSpread * chance);

    /// <summary>
    /// How long to wait after an attempt that failed, in units of 100 ns: 5 s, twice as long each time up to a bound, of which half is
    /// drawn by lot.
    /// </summary>
    /// <param name="failures">How many attempts failed in a row before this one.</param>
    /// <param name="bound">The longest wait.</param>
    /// <param name="chance">A random number from 0 up to 1.</param>
    public static long BackOff(int failures, TimeSpan bound, double chance) => BackOffTimes.Of(failures, s_firstBackOff, bound, chance);
}
