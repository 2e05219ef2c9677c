namespace CoAP.NET.Observing;

/// <summary>When a registration that failed is made again. Belongs to whoever is busy with the observation.</summary>
internal sealed class RegistrationRetries(ClientObservation observation)
{
    private int _failures;
    private int _losses;

    /// <summary>A registration succeeded, or somebody has a reason to believe that the next one will: waits begin anew.</summary>
    public void Reset() => _failures = 0;

    /// <summary>When to register again after a failure, in units of 100 ns.</summary>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="sentAt">When the last registration left; <see cref="long.MinValue"/> for never.</param>
    /// <param name="leastWait">How long the server asked to wait at least.</param>
    public long After(long now, long sentAt, TimeSpan leastWait)
    {
        CoapReregistration rule = observation.Reregistration;
        long wait = Math.Max(RegistrationTimes.BackOff(_failures++, rule.MaximumBackOff, Chance()), leastWait.Ticks);
        return NotBefore(now + wait, sentAt, rule);
    }

    /// <summary>
    /// When to register again after the connection ended, in units of 100 ns: the first time soon, as servers restart; then ever later,
    /// unless the registration lasted.
    /// </summary>
    /// <param name="reason">Why it ended.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="sentAt">When the last registration left; <see cref="long.MinValue"/> for never.</param>
    public long AfterConnection(CoapConnectionException reason, long now, long sentAt)
    {
        CoapStreamOptions options = observation.Environment.Streams;
        CoapReregistration rule = observation.Reregistration;
        bool isBounded = options.MaxReconnectDelay != Timeout.InfiniteTimeSpan;
        if (isBounded && sentAt != long.MinValue && now - sentAt > options.MaxReconnectDelay.Ticks && _failures == 0)
        {
            _losses = 0;
        }

        TimeSpan bound = isBounded && options.MaxReconnectDelay < rule.MaximumBackOff ? options.MaxReconnectDelay : rule.MaximumBackOff;
        long wait = Math.Max(BackOffTimes.Of(_losses++, options.ReconnectDelay, bound, Chance()), reason.RetryAfter?.Ticks ?? 0);
        return NotBefore(now + wait, sentAt, rule);
    }

    /// <summary>How long to wait beyond Max-Age before registering again (RFC 7641 section 3.3.1), in units of 100 ns.</summary>
    public long Patience() => RegistrationTimes.Patience(Chance());

    private static long NotBefore(long due, long sentAt, CoapReregistration rule) =>
        Math.Max(due, sentAt == long.MinValue ? 0 : sentAt + rule.MinimumInterval.Ticks);

    // Not under a lock: the source may be a user's.
    private double Chance() => observation.Environment.Random.NextDouble();
}
