namespace CoAP.NET;

/// <summary>Limits a queue by the expected waiting time, at the recent pace of the queue. Guarded by the lock of the queue.</summary>
/// <remarks>
/// The pace covers some time and not a few requests, and a single pause does not count. If the system takes the processor away for a
/// moment, very many requests leave right afterwards. By the pace of the last few, nearly all requests of that moment would be refused.
/// The time since the last request left counts as well: otherwise a queue that none leaves would keep its earlier pace.
/// </remarks>
internal sealed class WaitBound(CoapEnvironment environment)
{
    private static readonly long s_longestPace = UserCodePolicy.LongestWait.Ticks / UserCodePolicy.PaceWeight;

    private long _seen;
    private long _pausesAgainFrom = long.MinValue;

    // The time since the last request left, without a single pause.
    private long _open;

    // The number of requests that left, and the time during which some waited: of the current span, and of the previous one. A queue begins
    // as a quick one.
    private (long Time, long Count) _span;
    private (long Time, long Count) _before = (0, UserCodePolicy.PaceWeight);

    /// <summary>Whether another request would wait too long.</summary>
    /// <param name="waiting">The number of waiting requests.</param>
    /// <param name="continues">Whether it continues an operation.</param>
    public bool IsFull(int waiting, bool continues) =>
        waiting * (_before.Time + _span.Time + _open) > LongestWait(continues) * (_before.Count + _span.Count);

    /// <summary>
    /// Whether none left for so long that the pace tells nothing: for <see cref="UserCodePolicy.PaceWeight"/> times the longest wait, 2 s.
    /// </summary>
    /// <param name="continues">Whether the next request continues an operation.</param>
    public bool HasStopped(bool continues) => _open > UserCodePolicy.PaceWeight * LongestWait(continues);

    /// <summary>Records a new waiting request.</summary>
    /// <param name="waiting">The number of requests that waited before.</param>
    public void Came(int waiting)
    {
        if (waiting == 0)
        {
            (_seen, _open) = (environment.Now, 0);
        }
    }

    /// <summary>Records that another request came while some wait.</summary>
    public void Look()
    {
        // Threads that receive read the clock once for a batch, so their time may be older.
        long now = Math.Max(_seen, environment.Now);
        long time = now - _seen;
        if (time > s_longestPace && now >= _pausesAgainFrom)
        {
            // If pauses are a large part of the time, they are the pace.
            _pausesAgainFrom = now + (time * UserCodePolicy.PaceWeight);
            time = s_longestPace;
        }

        _open += time;
        _seen = now;
    }

    /// <summary>Records a request that left.</summary>
    public void Left()
    {
        Look();
        _span.Time += _open;
        _span.Count++;
        _open = 0;
        if (_span.Time >= UserCodePolicy.LongestWait.Ticks && _span.Count >= UserCodePolicy.PaceWeight)
        {
            _before = _span;
            _span = default;
        }
    }

    private static long LongestWait(bool continues) =>
        (continues ? UserCodePolicy.WaitsOfContinuations : 1) * UserCodePolicy.LongestWait.Ticks;
}
