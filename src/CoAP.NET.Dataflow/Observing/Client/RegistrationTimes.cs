namespace CoAP.NET.Observing;

/// <summary>Computes the times of registrations. Pure: the time and the random number are parameters.</summary>
internal static class RegistrationTimes
{
    private static readonly long s_leastPatience = TimeSpan.FromSeconds(5).Ticks;
    private static readonly long s_patienceSpread = TimeSpan.FromSeconds(10).Ticks;
    private static readonly TimeSpan s_firstBackOff = TimeSpan.FromSeconds(5);

    /// <summary>Returns how long a response may take after the peer has the registration.</summary>
    /// <param name="parameters">The parameters of the peer.</param>
    public static TimeSpan ResponseTime(CoapTransmissionParameters parameters) =>
        parameters.ResponseTimeout is { } set && set != Timeout.InfiniteTimeSpan
            ? set
            : parameters.MaxTransmitWait + (2 * parameters.MaxLatency);

    /// <summary>Returns when a representation becomes stale (RFC 7641 section 3.3.1), in units of 100 ns.</summary>
    /// <param name="now">The time of its arrival.</param>
    /// <param name="maxAge">Its Max-Age.</param>
    public static long StaleAt(long now, TimeSpan maxAge) => now + maxAge.Ticks;

    /// <summary>
    /// Returns how long to wait after a representation became stale: 5 to 15 s, so that clients do not register at the same time (RFC 7641
    /// section 3.3.1). In units of 100 ns.
    /// </summary>
    /// <param name="chance">A random number from 0 up to 1.</param>
    public static long Patience(double chance) => s_leastPatience + (long)(s_patienceSpread * chance);

    /// <summary>
    /// Returns the delay after a failed attempt, in units of 100 ns: 5 s, doubled each time up to a limit; half of it is random.
    /// </summary>
    /// <param name="failures">The number of consecutive failures before this one.</param>
    /// <param name="bound">The maximum delay.</param>
    /// <param name="chance">A random number from 0 up to 1.</param>
    public static long BackOff(int failures, TimeSpan bound, double chance) => BackOffTimes.Of(failures, s_firstBackOff, bound, chance);
}
