namespace CoAP.NET.Transports.Loops;

/// <summary>The schedule of an endpoint's clock in a loop. The transports of an endpoint on the same loop share it.</summary>
internal sealed class LoopClockSchedule
{
    private int _woken;

    public LoopClockSchedule(EpollTransportContext owner) => Owner = owner;

    /// <summary>The first of the transports; null when it was removed.</summary>
    public EpollTransportContext? Owner { get; private set; }

    // The loop's; in units of TimeProvider.System.
    public long Due { get; set; }

    /// <summary>The earliest valid entry in the queue of the loop.</summary>
    public long Queued { get; set; } = long.MaxValue;

    /// <summary>The number of transports that need the clock.</summary>
    public int Users { get; set; }

    public bool IsRemoved { get; private set; }

    /// <summary>Releases the transport: the queue of the loop may hold the clock until its due time, which may be a day away.</summary>
    public void Remove()
    {
        IsRemoved = true;
        Owner = null;
    }

    /// <summary>Marks the clock to be called soon.</summary>
    /// <returns>False if it was already marked.</returns>
    public bool TryMarkWoken() => Interlocked.Exchange(ref _woken, 1) == 0;

    public void ClearWoken() => Interlocked.Exchange(ref _woken, 0);
}
