namespace CoAP.NET.Transports;

/// <summary>When a loop must call the clock of an endpoint. The transports of an endpoint that work on the same loop share it.</summary>
internal sealed class LoopClock
{
    private int _woken;

    public LoopClock(LoopOwner owner) => Owner = owner;

    /// <summary>The first of the transports; null when it was removed.</summary>
    public LoopOwner? Owner { get; private set; }

    // The loop's; in units of TimeProvider.System.
    public long Due { get; set; }

    /// <summary>The earliest entry in the queue of the loop that is valid.</summary>
    public long Queued { get; set; } = long.MaxValue;

    /// <summary>How many transports want it called.</summary>
    public int Users { get; set; }

    public bool IsRemoved { get; private set; }

    /// <summary>
    /// Lets go of the transport: the queue of the loop may hold the clock until it would have been due, which may be a day.
    /// </summary>
    public void Remove()
    {
        IsRemoved = true;
        Owner = null;
    }

    /// <summary>Marks it as to be called soon.</summary>
    /// <returns>Whether it was not marked before.</returns>
    public bool TryMarkWoken() => Interlocked.Exchange(ref _woken, 1) == 0;

    public void ClearWoken() => Interlocked.Exchange(ref _woken, 0);
}
