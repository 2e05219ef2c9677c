namespace CoAP.NET.Observing;

/// <summary>
/// Counts the observations of an endpoint by state for metrics, and logs which ones lost their registration and which ones are back.
/// Thread-safe.
/// </summary>
/// <param name="environment">The environment of the endpoint.</param>
internal sealed class ObservationStates(CoapEnvironment environment)
{
    private readonly long[] _counts = new long[(int)CoapObserveState.Cancelled + 1];
    private readonly OccasionalLog _losses = new(environment.TimeProvider);
    private readonly OccasionalLog _recoveries = new(environment.TimeProvider);
    private long _lost;

    /// <summary>The number of observations in a state.</summary>
    public long this[CoapObserveState state] => Volatile.Read(ref _counts[(int)state]);

    /// <summary>Counts another observation.</summary>
    public void Add(CoapObserveState state) => Interlocked.Increment(ref _counts[(int)state]);

    /// <summary>Counts one observation less.</summary>
    public void Remove(CoapObserveState state) => Interlocked.Decrement(ref _counts[(int)state]);

    /// <summary>Counts an observation that lost its registration, and logs it.</summary>
    /// <param name="target">The observation.</param>
    /// <param name="reason">The reason, human-readable.</param>
    public void AddLost(ObservationTarget target, string reason)
    {
        long lost = Interlocked.Increment(ref _lost);
        if (_losses.IsDue())
        {
            ObservationLog.ObservationBroken(environment.Logger, target.PublicName, reason, lost);
        }
    }

    /// <summary>Counts a lost observation that is registered again, and logs it.</summary>
    /// <param name="target">The observation.</param>
    public void AddRecovered(ObservationTarget target)
    {
        long lost = Interlocked.Decrement(ref _lost);
        if (_recoveries.IsDue())
        {
            ObservationLog.ObservationRecovered(environment.Logger, target.PublicName, lost);
        }
    }

    /// <summary>Counts a lost observation that has ended.</summary>
    public void ForgetLost() => Interlocked.Decrement(ref _lost);
}
