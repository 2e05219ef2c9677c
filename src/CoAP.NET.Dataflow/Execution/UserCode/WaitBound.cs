namespace CoAP.NET;

/// <summary>
/// Bounds a queue by the time that a request would wait in it, at the pace at which those before it left lately. Guarded by the lock of the
/// queue.
/// </summary>
/// <remarks>
/// The pace is that of some time and not of a few requests, and a single pause does not count: where the system takes the processor away
/// for a moment, very many leave right afterwards, and by a pace of the last few nearly all would be refused that came meanwhile.
/// </remarks>
internal sealed class WaitBound(CoapEnvironment environment)
{
    private static readonly long s_longestPace = UserCodePolicy.LongestWait.Ticks / UserCodePolicy.PaceWeight;

    private long _left;
    private long _pausesAgainFrom = long.MinValue;

    // How many left in how much time, during which some waited: of the span that runs, and of the one before. A queue begins as a quick
    // one.
    private (long Time, long Count) _span;
    private (long Time, long Count) _before = (0, UserCodePolicy.PaceWeight);

    /// <summary>Whether another one would wait too long.</summary>
    /// <param name="waiting">How many wait.</param>
    /// <param name="continues">Whether it ends something that is under way.</param>
    public bool IsFull(int waiting, bool continues) =>
        waiting * (_before.Time + _span.Time)
            > (continues ? UserCodePolicy.WaitsOfContinuations : 1) * UserCodePolicy.LongestWait.Ticks * (_before.Count + _span.Count);

    /// <summary>One more waits.</summary>
    /// <param name="waiting">How many waited before.</param>
    public void Came(int waiting)
    {
        if (waiting == 0)
        {
            _left = environment.Now;
        }
    }

    /// <summary>One waits no more.</summary>
    public void Left()
    {
        long now = environment.Now;
        long time = now - _left;
        if (time > s_longestPace && now >= _pausesAgainFrom)
        {
            // Where they are a large part of the time they are the pace.
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
