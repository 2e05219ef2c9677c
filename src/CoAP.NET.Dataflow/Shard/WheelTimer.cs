namespace CoAP.NET.Shard;

/// <summary>Something that is due at a time; a node of one <see cref="TimerWheel"/>. Touched only under the shard's lock.</summary>
internal abstract class WheelTimer
{
    /// <summary>The slot of a timer that is scheduled nowhere.</summary>
    internal const int NoSlot = -1;

    private protected WheelTimer()
    {
    }

    internal long Due { get; set; } = long.MaxValue;

    internal WheelTimer? Next { get; set; }

    /// <summary>The one before in the slot; of the first one, the last.</summary>
    internal WheelTimer? Previous { get; set; }

    internal int Slot { get; set; } = NoSlot;

    internal bool IsScheduled => Slot != NoSlot;

    /// <summary>Runs under the shard's lock when the time has come; the timer is not scheduled any more.</summary>
    /// <param name="now">Now, in units of 100 ns.</param>
    internal abstract void Fire(long now);
}
