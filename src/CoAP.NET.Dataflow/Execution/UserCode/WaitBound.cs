namespace CoAP.NET;

/// <summary>
/// Bounds a queue by the time that a request would wait in it, at the pace at which those before it left. Guarded by the lock of the queue.
/// </summary>
internal sealed class WaitBound(CoapEnvironment environment)
{
    private long _step;
    private long _left;

    /// <summary>Whether another one would wait too long.</summary>
    /// <param name="waiting">How many wait.</param>
    /// <param name="continues">Whether it ends something that is under way.</param>
    public bool IsFull(int waiting, bool continues) =>
        waiting * _step > (continues ? UserCodePolicy.WaitsOfContinuations : 1) * UserCodePolicy.LongestWait.Ticks;

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
        _step += (now - _left - _step) / UserCodePolicy.PaceWeight;
        _left = now;
    }
}
