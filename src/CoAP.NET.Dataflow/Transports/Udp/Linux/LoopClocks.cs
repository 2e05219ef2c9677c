using System.Collections.Concurrent;

namespace CoAP.NET.Transports;

/// <summary>The clocks that one loop drives: one of a server, or those of all clients that share the loop. Belongs to the thread that holds the role; only <see cref="Wake"/> is for all.</summary>
internal sealed class LoopClocks
{
    private readonly PriorityQueue<LoopClock, long> _queue = new();
    private readonly ConcurrentQueue<LoopClock> _woken = new();

    /// <summary>When the next one is due; <see cref="long.MaxValue"/> when none is.</summary>
    public long NextDue => _queue.TryPeek(out _, out long due) ? due : long.MaxValue;

    public bool IsEmpty => _queue.Count == 0;

    public void Wake(LoopClock clock)
    {
        if (clock.TryMarkWoken())
        {
            _woken.Enqueue(clock);
        }
    }

    public void CollectWoken(long now)
    {
        while (_woken.TryDequeue(out LoopClock? clock))
        {
            clock.ClearWoken();
            Schedule(clock, now);
        }
    }

    /// <summary>The first clock that is due; it stays in the queue, so that it is not lost when the role changes hands in the middle of its call.</summary>
    public LoopClock? PeekDue(long now)
    {
        while (_queue.TryPeek(out LoopClock? clock, out long due) && due <= now)
        {
            if (due == clock.Queued && !clock.IsRemoved)
            {
                if (clock.Due <= now)
                {
                    return clock;
                }

                // Put off since it was queued.
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

    /// <summary>Sets when a clock is due.</summary>
    public void Schedule(LoopClock clock, long due)
    {
        clock.Due = due;
        if (due < clock.Queued && !clock.IsRemoved)
        {
            clock.Queued = due;
            _queue.Enqueue(clock, due);
        }
    }
}
