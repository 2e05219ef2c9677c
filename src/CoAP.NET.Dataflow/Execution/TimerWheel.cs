namespace CoAP.NET;

/// <summary>
/// The timers of a shard: a hashed wheel with slots of about 16 ms. Scheduling and cancelling cost a few writes; a timer fires at its time or up to
/// one slot later, never earlier. Not thread-safe: the shard's lock guards it.
/// </summary>
internal sealed class TimerWheel
{
    private const int SlotBits = 17; // 2^17 units of 100 ns: 13.1 ms
    private const int SlotCount = 4096;
    private const int Mask = SlotCount - 1;

    private readonly WheelTimer?[] _slots = new WheelTimer?[SlotCount];
    private readonly List<(long Due, int Order, WheelTimer Timer)> _due = [];
    private long _current;
    private int _count;
    private long _bound = long.MaxValue;

    public TimerWheel(long now) => _current = now >> SlotBits;

    public int Count => _count;

    /// <summary>
    /// Nothing is due before this time, in units of 100 ns. Costs a field read. Cancelling does not move it, so that a driver of the clock that was told
    /// once is not told again for every message whose timer is set and cancelled within its time.
    /// </summary>
    public long Bound => _bound;

    /// <summary>When <see cref="Advance"/> must be called next, in units of 100 ns; <see cref="long.MaxValue"/> when nothing waits. Never later than the first due time's slot.</summary>
    public long NextDue
    {
        get
        {
            if (_count == 0)
            {
                return long.MaxValue;
            }

            for (long tick = _current; tick < _current + SlotCount; tick++)
            {
                for (WheelTimer? timer = _slots[tick & Mask]; timer is not null; timer = timer.Next)
                {
                    if (TickOf(timer.Due) <= tick)
                    {
                        return tick << SlotBits;
                    }
                }
            }

            return (_current + SlotCount) << SlotBits;
        }
    }

    /// <summary>Recomputes <see cref="Bound"/> once it has passed.</summary>
    public long Refresh(long now)
    {
        if (_bound <= now)
        {
            _bound = NextDue;
        }

        return _bound;
    }

    public void Schedule(WheelTimer timer, long due)
    {
        Cancel(timer);
        timer.Due = due;
        long tick = Math.Max(TickOf(due), _current);
        _bound = Math.Min(_bound, tick << SlotBits);
        int slot = (int)(tick & Mask);
        timer.Slot = slot;
        timer.Next = _slots[slot];
        timer.Previous = null;
        if (timer.Next is not null)
        {
            timer.Next.Previous = timer;
        }

        _slots[slot] = timer;
        _count++;
    }

    public void Cancel(WheelTimer timer)
    {
        if (timer.Slot < 0)
        {
            return;
        }

        if (timer.Previous is null)
        {
            _slots[timer.Slot] = timer.Next;
        }
        else
        {
            timer.Previous.Next = timer.Next;
        }

        if (timer.Next is not null)
        {
            timer.Next.Previous = timer.Previous;
        }

        timer.Next = timer.Previous = null;
        timer.Slot = -1;
        _count--;
    }

    /// <summary>Fires everything that is due. Timers that fire may schedule and cancel others.</summary>
    public void Advance(long now)
    {
        long target = now >> SlotBits;
        if (target - _current >= SlotCount)
        {
            // After a long pause one turn of the wheel sees every slot.
            _current = target - SlotCount + 1;
            FireSlots(target, now);
            return;
        }

        FireSlots(target, now);
    }

    private static long TickOf(long due) => due == long.MaxValue ? long.MaxValue >> SlotBits : (due >> SlotBits) + 1;

    private void FireSlots(long target, long now)
    {
        while (true)
        {
            FireSlot((int)(_current & Mask), now);
            if (_current >= target)
            {
                return;
            }

            _current++;
        }
    }

    private void FireSlot(int slot, long now)
    {
        while (true)
        {
            _due.Clear();
            for (WheelTimer? timer = _slots[slot]; timer is not null; timer = timer.Next)
            {
                if (timer.Due <= now)
                {
                    _due.Add((timer.Due, -_due.Count, timer));
                }
            }

            if (_due.Count == 0)
            {
                return;
            }

            // The earliest first, and of equals the one scheduled first, so that a replay fires in the same order. Sorted once: thousands may share a slot.
            if (_due.Count > 1)
            {
                _due.Sort(static (left, right) => left.Due != right.Due ? left.Due.CompareTo(right.Due) : left.Order.CompareTo(right.Order));
            }

            foreach ((long due, _, WheelTimer timer) in _due)
            {
                // One that fired before may have cancelled this one or set it anew.
                if (timer.Slot == slot && timer.Due == due)
                {
                    Cancel(timer);
                    timer.Fire(now);
                }
            }
        }
    }
}
