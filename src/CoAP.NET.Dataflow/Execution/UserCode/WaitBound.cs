namespace CoAP.NET;

/// <summary>
/// Says whether one more request may wait in a queue: by how long it would have to, at the pace at which those before it left. A number of places says nothing of that.
/// Guarded by the lock of the queue.
/// </summary>
internal sealed class WaitBound(CoapEnvironment environment)
{
    /// <summary>
    /// So long a request waits at most, about: its answer then still rides on the acknowledgement, and no peer repeats it (ACK_TIMEOUT is 2 s).
    /// </summary>
    public static readonly TimeSpan Longest = TimeSpan.FromMilliseconds(250);

    // What is the end of something that is under way may wait longer: refusing it wastes what came before. But not for ever, as anybody can begin much.
    private const int TimesForContinuations = 2;
    private const int Weight = 8;

    private long _step;
    private long _left;

    /// <summary>Whether another one would wait too long.</summary>
    /// <param name="waiting">How many wait.</param>
    /// <param name="continues">Whether it is the end of something that is under way.</param>
    public bool IsFull(int waiting, bool continues) => waiting * _step > (continues ? TimesForContinuations : 1) * Longest.Ticks;

    /// <summary>One more waits.</summary>
    /// <param name="waiting">How many did before.</param>
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
        _step += (now - _left - _step) / Weight;
        _left = now;
    }
}
