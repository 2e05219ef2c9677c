namespace CoAP.NET.Benchmarks;

/// <summary>
/// What a receive loop knows of the time: when the shards want to be ticked next. A transport in memory ticks when it is told to.
/// </summary>
internal sealed class LoopTime
{
    private ICoapTransportContext? _context;
    private long _due;

    public void Start(ICoapTransportContext context) => _context = context;

    public void Wake() => Volatile.Write(ref _due, 0);

    /// <summary>Runs what is due by the clock.</summary>
    public void Tick()
    {
        long now = _context!.TimeProvider.GetTimestamp();
        if (now < Volatile.Read(ref _due))
        {
            return;
        }

        Volatile.Write(ref _due, long.MaxValue);
        TimeSpan wait = _context.Tick();
        if (wait != Timeout.InfiniteTimeSpan)
        {
            _due = Math.Min(_due, now + wait.Ticks);
        }
    }
}
