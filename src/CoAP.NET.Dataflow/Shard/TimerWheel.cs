namespace CoAP.NET.Shard;

/// <summary>
/// The timers of a shard: a hierarchical wheel with 256 slots per level; the finest has slots of 0.8 ms, each coarser one 256 times that.
/// Scheduling and cancelling cost a few writes. A timer fires in the first <see cref="Advance"/> at or after the end of its slot: never
/// early, and at most one slot late if <see cref="Advance"/> is called at <see cref="NextDue"/>. Not thread-safe: guarded by the shard's
/// lock.
/// </summary>
internal sealed class TimerWheel
{
    /// <summary>
    /// A slot is 2^13 units of 100 ns: 0.8 ms. One wake-up serves all timers within it, and the pace of notifications on a fast path is
    /// kept (RFC 7641 section 4.5.1).
    /// </summary>
    internal const int SlotBits = 13;

    private const int LevelBits = 8;
    private const int LevelSize = 1 << LevelBits;
    private const int LevelMask = LevelSize - 1;
    private const int Levels = 5;

    // Timers beyond the coarsest wheel, which spans 28 years, wait in one list.
    private const int FarSlot = Levels * LevelSize;

    // Due and removed from the wheel, but not fired yet.
    private const int FiringSlot = FarSlot + 1;

    private readonly TimerSlots _slots = new(FarSlot + 1);
    private readonly List<(long Due, int Order, WheelTimer Timer)> _firing = [];

    // In slots since the origin of time. All timers that are due before it have fired or are in _firing.
    private long _current;

    // No timer is due before it: exact after Advance within the finest wheel, otherwise a lower bound. Cancelling does not move it.
    private long _next = long.MaxValue;
    private int _count;

    public TimerWheel(long now) => _current = now >> SlotBits;

    public int Count => _count;

    /// <summary>
    /// When <see cref="Advance"/> must be called next, in units of 100 ns; <see cref="long.MaxValue"/> without timers. Costs two reads.
    /// Never later than the end of the first timer's slot. It may be earlier after a cancellation or for a distant timer; an Advance that
    /// fires nothing then moves it on.
    /// </summary>
    public long NextDue => _count == 0 || _next > long.MaxValue >> SlotBits ? long.MaxValue : _next << SlotBits;

    /// <summary>Schedules a timer, or reschedules it.</summary>
    /// <param name="timer">The timer; of this wheel only.</param>
    /// <param name="due">When to fire, in units of 100 ns. A past time fires in the next <see cref="Advance"/>.</param>
    public void Schedule(WheelTimer timer, long due)
    {
        Cancel(timer);
        timer.Due = due;
        long end = Place(timer);
        _next = _count++ == 0 ? end : Math.Min(_next, end);
    }

    /// <summary>Cancels a timer; does nothing for an unscheduled one.</summary>
    public void Cancel(WheelTimer timer)
    {
        if (!timer.IsScheduled)
        {
            return;
        }

        _count--;
        if (timer.Slot == FiringSlot)
        {
            // Skips its entry in the list of firing timers.
            timer.Slot = WheelTimer.NoSlot;
        }
        else
        {
            _slots.Remove(timer);
        }
    }

    /// <summary>
    /// Fires all due timers: the earliest first, and among equals the one that was scheduled first. Firing timers may schedule and cancel
    /// any timer. Timers that are scheduled meanwhile fire in the next call at the earliest, so a timer that schedules itself for now
    /// cannot block the shard.
    /// </summary>
    /// <param name="now">The current time, in units of 100 ns. Going back does nothing.</param>
    public void Advance(long now)
    {
        if (_firing.Count != 0)
        {
            return; // called by a firing timer: the running call continues
        }

        long target = now >> SlotBits;
        if (_count == 0)
        {
            _current = Math.Max(_current, target);
            _next = long.MaxValue;
            return;
        }

        if (target < _next)
        {
            return;
        }

        Collect(target);
        _current = Math.Max(_current, target);
        try
        {
            FireCollected(now);
        }
        finally
        {
            _next = FindNext();
        }
    }

    private static long SlotEnd(long due) => (due >> SlotBits) + ((due & ((1L << SlotBits) - 1)) == 0 ? 0 : 1);

    /// <summary>Puts a timer in its slot, relative to the current slot, and returns the time of that slot.</summary>
    private long Place(WheelTimer timer)
    {
        long end = Math.Max(SlotEnd(timer.Due), _current);
        long differing = end ^ _current;
        for (int level = 0; level < Levels; level++)
        {
            int shift = level * LevelBits;
            if (differing >> (shift + LevelBits) == 0)
            {
                _slots.Append(timer, (level * LevelSize) + (int)((end >> shift) & LevelMask));
                return end;
            }
        }

        _slots.Append(timer, FarSlot);
        return end;
    }

    /// <summary>
    /// Finds the first slot in time, from the current one on, in which something is due or a coarser wheel's slot begins;
    /// <see cref="long.MaxValue"/> without timers.
    /// </summary>
    private long FindNext()
    {
        for (int level = 0; level < Levels; level++)
        {
            // The current slot of a coarser wheel is empty: its timers were spread over the finer ones when it began.
            int shift = level * LevelBits;
            int position = (int)((_current >> shift) & LevelMask);
            int slot = _slots.FindOccupied((level * LevelSize) + position, (level + 1) * LevelSize);
            if (slot >= 0)
            {
                return ((_current >> (shift + LevelBits) << LevelBits) + (slot & LevelMask)) << shift;
            }
        }

        const int farShift = Levels * LevelBits;
        return _slots.First(FarSlot) is null ? long.MaxValue : ((_current >> farShift) + 1) << farShift;
    }

    /// <summary>Removes all timers from the wheel that are due in or before a slot.</summary>
    private void Collect(long target)
    {
        long next;
        while ((next = FindNext()) <= target)
        {
            _current = next;
            if ((_current & ((1L << (Levels * LevelBits)) - 1)) == 0)
            {
                Spread(FarSlot);
            }

            for (int level = Levels - 1; level > 0; level--)
            {
                if ((_current & ((1L << (level * LevelBits)) - 1)) == 0)
                {
                    Spread((level * LevelSize) + (int)((_current >> (level * LevelBits)) & LevelMask));
                }
            }

            int slot = (int)(_current & LevelMask);
            while (_slots.First(slot) is { } timer)
            {
                _slots.Remove(timer);
                timer.Slot = FiringSlot;
                _firing.Add((timer.Due, _firing.Count, timer));
            }
        }
    }

    /// <summary>Redistributes the timers of a coarse slot, in their order.</summary>
    private void Spread(int slot)
    {
        // Timers that stay in the far list go behind the last one, so one pass sees each once.
        WheelTimer? last = _slots.First(slot)?.Previous;
        while (last is not null)
        {
            WheelTimer timer = _slots.First(slot)!;
            _slots.Remove(timer);
            Place(timer);
            if (timer == last)
            {
                return;
            }
        }
    }

    private void FireCollected(long now)
    {
        _firing.Sort(static (left, right) => left.Due != right.Due ? left.Due.CompareTo(right.Due) : left.Order.CompareTo(right.Order));
        int i = 0;
        try
        {
            for (; i < _firing.Count; i++)
            {
                WheelTimer timer = _firing[i].Timer;
                if (timer.Slot == FiringSlot)
                {
                    timer.Slot = WheelTimer.NoSlot;
                    _count--;
                    timer.Fire(now);
                }
            }
        }
        finally
        {
            // Timers are left only after an exception; they must not be lost with it.
            for (i++; i < _firing.Count; i++)
            {
                if (_firing[i].Timer.Slot == FiringSlot)
                {
                    Place(_firing[i].Timer);
                }
            }

            _firing.Clear();
        }
    }
}
