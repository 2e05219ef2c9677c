using System.Collections.Concurrent;

namespace CoAP.NET.Transports.Loops;

/// <summary>
/// The clocks that one loop drives: one of a server, or those of all clients that share the loop. Belongs to the thread that holds the
/// role; only <see cref="Wake"/> is thread-safe.
/// </summary>
internal sealed class LoopClockQueue
{
    private readonly PriorityQueue<LoopClockSchedule, long> _queue = new();
    private int _removed;
    private readonly ConcurrentQueue<LoopClockSchedule> _woken = new();
    // So many outdated entries may stay in the queue at any length.
    private const int Few = 16;

    private readonly Dictionary<ICoapTransportContext, LoopClockSchedule> _clocks = [];

    /// <summary>The time of the next due clock; <see cref="long.MaxValue"/> for none.</summary>
    public long NextDue => _queue.TryPeek(out _, out long due) ? due : long.MaxValue;

    public bool IsEmpty => _queue.Count == 0;

    /// <summary>Starts to drive the clock of an endpoint at once; one clock for all of its transports.</summary>
    /// <returns>The clock; pass it to <see cref="Leave"/>.</returns>
    public LoopClockSchedule Join(EpollTransportContext owner, long now)
    {
        if (!_clocks.TryGetValue(owner.Context, out LoopClockSchedule? clock))
        {
            _clocks.Add(owner.Context, clock = new LoopClockSchedule(owner));
        }

        clock.Users++;
        Schedule(clock, now);
        return clock;
    }

    /// <summary>Releases the clock of a transport that no longer needs it.</summary>
    public void Leave(LoopClockSchedule clock)
    {
        if (--clock.Users == 0)
        {
            _clocks.Remove(clock.Owner!.Context);
            clock.Remove();
            if (++_removed > Math.Max(Few, _queue.Count / 2))
            {
                Sweep();
            }
        }
    }

    public void Wake(LoopClockSchedule clock)
    {
        if (clock.TryMarkWoken())
        {
            _woken.Enqueue(clock);
        }
    }

    public void CollectWoken(long now)
    {
        while (_woken.TryDequeue(out LoopClockSchedule? clock))
        {
            clock.ClearWoken();
            Schedule(clock, now);
        }
    }

    /// <summary>Returns the first due clock. It stays in the queue, so a change of the role during its call does not lose it.</summary>
    public LoopClockSchedule? PeekDue(long now)
    {
        while (_queue.TryPeek(out LoopClockSchedule? clock, out long due) && due <= now)
        {
            if (due == clock.Queued && !clock.IsRemoved)
            {
                if (clock.Due <= now)
                {
                    return clock;
                }

                // Rescheduled since it was queued.
                _queue.Dequeue();
                clock.Queued = long.MaxValue;
                Schedule(clock, clock.Due);
            }
            else
            {
                _queue.Dequeue();
            }
        }

        return null;
    }

    // All at once and rarely, because finding one entry takes as long as the whole queue.
    private void Sweep()
    {
        (LoopClockSchedule Clock, long Due)[] left = [
            .. _queue.UnorderedItems.Where(static entry => !entry.Element.IsRemoved && entry.Priority == entry.Element.Queued)];
        _queue.Clear();
        _queue.EnqueueRange(left);
        _removed = 0;
    }

    /// <summary>Sets the due time of a clock.</summary>
    public void Schedule(LoopClockSchedule clock, long due)
    {
        clock.Due = due;
        if (due < clock.Queued && !clock.IsRemoved)
        {
            clock.Queued = due;
            _queue.Enqueue(clock, due);
        }
    }
}
