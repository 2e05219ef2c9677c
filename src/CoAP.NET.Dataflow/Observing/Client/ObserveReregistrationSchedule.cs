namespace CoAP.NET.Observing.Client;

/// <summary>
/// The times of an observation's registrations: when to repeat one that failed. Used only on the thread that processes its events.
/// </summary>
internal sealed class ObserveReregistrationSchedule(ClientObservation observation)
{
    private static readonly long s_minTimeout = TimeSpan.FromSeconds(5).Ticks;
    private static readonly long s_timeoutSpread = TimeSpan.FromSeconds(10).Ticks;
    private static readonly TimeSpan s_firstBackOff = TimeSpan.FromSeconds(5);

    private int _failures;
    private int _losses;

    /// <summary>Returns how long a response may take after the peer has the registration.</summary>
    public static TimeSpan ResponseTime(CoapTransmissionParameters parameters) =>
        parameters.ResponseTimeout is { } set && set != System.Threading.Timeout.InfiniteTimeSpan
            ? set
            : parameters.MaxTransmitWait + (2 * parameters.MaxLatency);

    /// <summary>
    /// Returns how long to wait after a representation became stale: 5 to 15 s, so that clients do not register at the same time (RFC 7641
    /// section 3.3.1). In units of 100 ns.
    /// </summary>
    /// <param name="chance">A random number from 0 up to 1.</param>
    public static long Timeout(double chance) => s_minTimeout + (long)(s_timeoutSpread * chance);

    /// <summary>
    /// Returns the delay after a failed attempt, in units of 100 ns: 5 s, doubled each time up to a limit; half of it is random.
    /// </summary>
    /// <param name="failures">The number of consecutive failures before this one.</param>
    /// <param name="bound">The maximum delay.</param>
    /// <param name="chance">A random number from 0 up to 1.</param>
    public static long BackOff(int failures, TimeSpan bound, double chance) =>
        ExponentialBackOff.Of(failures, s_firstBackOff, bound, chance);

    /// <summary>Resets the delays after a successful registration, or when a caller expects success.</summary>
    public void Reset() => _failures = 0;

    /// <summary>Returns when to register again after a failure, in units of 100 ns.</summary>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <param name="sentAt">The time of the last registration; <see cref="long.MinValue"/> for never.</param>
    /// <param name="leastWait">The minimum delay that the server requested.</param>
    public long After(long now, long sentAt, TimeSpan leastWait)
    {
        CoapReregistrationPolicy rule = observation.Reregistration;
        long wait = Math.Max(BackOff(_failures++, rule.MaximumBackOff, Chance()), leastWait.Ticks);
        return NotBefore(now + wait, sentAt, rule);
    }

    /// <summary>
    /// Returns when to register again after the connection ended, in units of 100 ns: soon for the first time, because servers restart;
    /// then with growing delays, unless the registration lasted.
    /// </summary>
    /// <param name="reason">The reason of the end.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <param name="sentAt">The time of the last registration; <see cref="long.MinValue"/> for never.</param>
    public long AfterConnection(CoapConnectionException reason, long now, long sentAt)
    {
        CoapStreamOptions options = observation.Environment.Streams;
        CoapReregistrationPolicy rule = observation.Reregistration;
        bool isBounded = options.MaxReconnectDelay != System.Threading.Timeout.InfiniteTimeSpan;
        if (isBounded && sentAt != long.MinValue && now - sentAt > options.MaxReconnectDelay.Ticks && _failures == 0)
        {
            _losses = 0;
        }

        TimeSpan bound = isBounded && options.MaxReconnectDelay < rule.MaximumBackOff ? options.MaxReconnectDelay : rule.MaximumBackOff;
        long wait = Math.Max(ExponentialBackOff.Of(_losses++, options.ReconnectDelay, bound, Chance()), reason.RetryAfter?.Ticks ?? 0);
        return NotBefore(now + wait, sentAt, rule);
    }

    /// <summary>Returns how long to wait after Max-Age before registering again (RFC 7641 section 3.3.1), in units of 100 ns.</summary>
    public long Timeout() => Timeout(Chance());

    private static long NotBefore(long due, long sentAt, CoapReregistrationPolicy rule) =>
        Math.Max(due, sentAt == long.MinValue ? 0 : sentAt + rule.MinimumInterval.Ticks);

    // Not under a lock: the random source may belong to a user.
    private double Chance() => observation.Environment.Random.NextDouble();
}
