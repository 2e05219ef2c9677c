namespace CoAP.NET.Testing.Time;

/// <summary>A timer of a <see cref="VirtualClock"/>. Its fields belong to the clock's lock.</summary>
internal sealed class VirtualTimer : ITimer
{
    /// <summary>Orders by due time, then by the order of setting.</summary>
    public static readonly IComparer<VirtualTimer> ByDue = Comparer<VirtualTimer>.Create(static (x, y) =>
        x.Due != y.Due ? x.Due.CompareTo(y.Due) : x.Sequence.CompareTo(y.Sequence));

    private const long MaxMilliseconds = 0xffff_fffe;

    private readonly VirtualClock _clock;
    private readonly TimerCallback _callback;
    private readonly object? _state;
    private readonly ExecutionContext? _context = ExecutionContext.Capture();

    public VirtualTimer(VirtualClock clock, TimerCallback callback, object? state)
    {
        _clock = clock;
        _callback = callback;
        _state = state;
    }

    public long Due { get; set; }

    public long Sequence { get; set; }

    public long Period { get; set; }

    public bool IsDisposed { get; set; }

    public bool Change(TimeSpan dueTime, TimeSpan period)
    {
        long dueIn = Check(dueTime, nameof(dueTime));
        long every = Check(period, nameof(period));
        return _clock.SetTimer(this, dueIn, every == Timeout.Infinite ? 0 : every);
    }

    public void Fire()
    {
        if (_context is null)
        {
            _callback(_state);
            return;
        }

        ExecutionContext.Run(_context, static timer => ((VirtualTimer)timer!)._callback(((VirtualTimer)timer)._state), this);
    }

    public void Dispose() => _clock.RemoveTimer(this);

    public ValueTask DisposeAsync()
    {
        // Does not wait for a running callback: it may be the one that disposes, and there is only one thread.
        Dispose();
        return ValueTask.CompletedTask;
    }

    private static long Check(TimeSpan time, string name)
    {
        if (time == Timeout.InfiniteTimeSpan)
        {
            return Timeout.Infinite;
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(time, TimeSpan.Zero, name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(time.Ticks / TimeSpan.TicksPerMillisecond, MaxMilliseconds, name);
        return time.Ticks;
    }
}
