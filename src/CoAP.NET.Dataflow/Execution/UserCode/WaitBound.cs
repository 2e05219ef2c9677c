namespace CoAP.NET;

/// <summary>Limits a queue by the expected waiting time, at the recent pace of the queue. Guarded by the lock of the queue.</summary>
/// <remarks>
/// The pace covers some time and not a few requests, and a single pause does not count. If the system takes the processor away for a
/// moment, very many requests leave right afterwards. By the pace of the last few, nearly all requests of that moment would be refused.
/// </remarks>
internal sealed class WaitBound(CoapEnvironment environment)
{
    private static readonly long s_longestPace = UserCodePolicy.LongestWait.Ticks / UserCodePolicy.PaceWeight;

    private long _left;
    private long _pausesAgainFrom = long.MinValue;

    // The number of requests that left, and the time during which some waited: of the current span, and of the previous one. A queue begins
    // as a quick one.
    private (long Time, long Count) _span;
    private (long Time, long Count) _before = (0, UserCodePolicy.PaceWeight);

    /// <summary>Whether another request would wait too long.</summary>
    /// <param name="waiting">The number of waiting requests.</param>
    /// <param name="continues">Whether it continues an operation.</param>
    public bool IsFull(int waiting, bool continues) =>
        waiting * (_before.Time + _span.Time)
            > (continues ? UserCodePolicy.WaitsOfContinuations : 1) * UserCodePolicy.LongestWait.Ticks * (_before.Count + _span.Count);

    /// <summary>Records a new waiting request.</summary>
    /// <param name="waiting">The number of requests that waited before.</param>
    public void Came(int waiting)
    {
        if (waiting == 0)
        {
            _left = environment.Now;
        }
    }

    /// <summary>Records a request that left.</summary>
    public void Left()
    {
        long now = environment.Now;
        long time = now - _left;
        if (time > s_longestPace && now >= _pausesAgainFrom)
        {
            // If pauses are a large part of the time, they are the pace.
            _pausesAgainFrom = now + (time * UserCodePolicy.PaceWeight);
            time = s_longestPace;
        }

        _span.Time += time;
        _span.Count++;
        _left = now;
        if (_span.Time >= UserCodePolicy.LongestWait.Ticks && _span.Count >= UserCodePolicy.PaceWeight)
        {
            _before = _span;
            _span = default;
        }
    }
}
