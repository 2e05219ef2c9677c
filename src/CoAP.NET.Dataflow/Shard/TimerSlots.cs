using System.Numerics;

namespace CoAP.NET.Shard;

/// <summary>The lists of a <see cref="TimerWheel"/>, first in first out, with a bit for each list that is not empty.</summary>
internal readonly struct TimerSlots
{
    private readonly WheelTimer?[] _first;
    private readonly ulong[] _occupied;

    public TimerSlots(int count)
    {
        _first = new WheelTimer?[count];
        _occupied = new ulong[(count + 63) >> 6];
    }

    /// <summary>Returns the first timer in a slot.</summary>
    public WheelTimer? First(int slot) => _first[slot];

    public void Append(WheelTimer timer, int slot)
    {
        timer.Slot = slot;
        timer.Next = null;
        if (_first[slot] is { } first)
        {
            WheelTimer last = first.Previous!;
            last.Next = timer;
            timer.Previous = last;
            first.Previous = timer;
            return;
        }

        timer.Previous = timer;
        _first[slot] = timer;
        _occupied[slot >> 6] |= 1UL << slot;
    }

    public void Remove(WheelTimer timer)
    {
        int slot = timer.Slot;
        WheelTimer first = _first[slot]!;
        if (timer == first)
        {
            _first[slot] = timer.Next;
            if (timer.Next is null)
            {
                _occupied[slot >> 6] &= ~(1UL << slot);
            }
            else
            {
                timer.Next.Previous = timer.Previous;
            }
        }
        else
        {
            timer.Previous!.Next = timer.Next;
            (timer.Next ?? first).Previous = timer.Previous;
        }

        timer.Next = timer.Previous = null;
        timer.Slot = WheelTimer.NoSlot;
    }

    /// <summary>Finds the first slot that is not empty.</summary>
    /// <param name="from">The first slot to check.</param>
    /// <param name="end">The end of the range, exclusive; a multiple of 64.</param>
    /// <returns>The slot; -1 when all are empty.</returns>
    public int FindOccupied(int from, int end)
    {
        ulong mask = ulong.MaxValue << from;
        for (int slot = from & ~63; slot < end; slot += 64, mask = ulong.MaxValue)
        {
            ulong bits = _occupied[slot >> 6] & mask;
            if (bits != 0)
            {
                return slot + BitOperations.TrailingZeroCount(bits);
            }
        }

        return -1;
    }
}
