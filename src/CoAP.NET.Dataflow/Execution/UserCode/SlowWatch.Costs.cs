namespace CoAP.NET;

// Handlers that are quick enough not to be noticed one by one, but are what an overloaded loop does all the time. While they run on the thread that receives, what
// comes waits in the operating system: acknowledgements, blocks and cheap requests behind thousands of costly ones, for seconds, until it is dropped unseen. On other threads
// they wait where they are counted, and what is too much is refused at once.
internal sealed partial class SlowWatch
{
    /// <summary>So many costly calls one after another, of those that a crowded loop made, are no accident.</summary>
    public const int CallsToBeCostly = 8;

    /// <summary>From here on a call is worth another thread, whose cost is some microseconds.</summary>
    public static readonly TimeSpan CostlyFrom = TimeSpan.FromMicroseconds(50);

    /// <summary>So long after the last one had to wait they run on the thread that receives again.</summary>
    public static readonly TimeSpan CostlyFor = TimeSpan.FromSeconds(1);

    private int _costlyCalls;
    private long _waitedAt;

    /// <summary>Whether the handler is to be kept away from receiving threads now, as they have no time for it.</summary>
    /// <param name="isWaitedFor">Whether requests wait for it.</param>
    public bool IsCostly(bool isWaitedFor)
    {
        if ((Volatile.Read(ref _aside) & Costly) == 0)
        {
            return false;
        }

        if (isWaitedFor)
        {
            Volatile.Write(ref _waitedAt, _time.GetTimestamp());
            return true;
        }

        if (_time.GetElapsedTime(Volatile.Read(ref _waitedAt)) < CostlyFor)
        {
            return true;
        }

        _costlyCalls = 0;
        Interlocked.And(ref _aside, ~Costly);
        return false;
    }

    private void NoteCost(long time)
    {
        // Updates of several threads may get lost: it then takes some calls more.
        if (time < CostlyFrom.Ticks)
        {
            _costlyCalls = 0;
        }
        else if (++_costlyCalls >= CallsToBeCostly)
        {
            Volatile.Write(ref _waitedAt, _time.GetTimestamp());
            Interlocked.Or(ref _aside, Costly);
        }
    }
}
