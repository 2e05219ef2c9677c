namespace CoAP.NET;

/// <summary>Something that is due at a time; a node of one <see cref="TimerWheel"/>. Touched only under the shard's lock.</summary>
public abstract class WheelTimer
{
    private protected WheelTimer()
    {
    }

    internal long Due { get; set; } = long.MaxValue;

    internal WheelTimer? Next { get; set; }

    internal WheelTimer? Previous { get; set; }

    internal int Slot { get; set; } = -1;

    internal bool IsScheduled => Slot >= 0;

    /// <summary>Runs under the shard's lock when the time has come; the timer is not scheduled any more.</summary>
    /// <param name="now">Now, in units of 100 ns.</param>
    internal abstract void Fire(long now);
}
