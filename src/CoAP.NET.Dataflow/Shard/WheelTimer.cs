namespace CoAP.NET.Shard;

/// <summary>A timer, as a node of one <see cref="TimerWheel"/>. Touched only under the shard's lock.</summary>
internal abstract class WheelTimer
{
    /// <summary>The slot of an unscheduled timer.</summary>
    internal const int NoSlot = -1;

    private protected WheelTimer()
    {
    }

    internal long Due { get; set; } = long.MaxValue;

    internal WheelTimer? Next { get; set; }

    /// <summary>The previous timer in the slot; for the first one, the last.</summary>
    internal WheelTimer? Previous { get; set; }

    internal int Slot { get; set; } = NoSlot;

    internal bool IsScheduled => Slot != NoSlot;

    /// <summary>Runs under the shard's lock when the timer is due; it is then no longer scheduled.</summary>
    /// <param name="now">The current time, in units of 100 ns.</param>
    internal abstract void Fire(long now);
}
