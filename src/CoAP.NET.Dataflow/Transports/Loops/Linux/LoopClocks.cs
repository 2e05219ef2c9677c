using System.Collections.Concurrent;

namespace CoAP.NET.Transports;

/// <summary>
/// The clocks that one loop drives: one of a server, or those of all clients that share the loop. Belongs to the thread that holds the
/// role; only <see cref="Wake"/> is for all.
/// </summary>
internal sealed class LoopClocks
{
    private readonly PriorityQueue<LoopClock, long> _queue = new();
    private int _removed;
    private readonly ConcurrentQueue<LoopClock> _woken = new();
    // So few that are due no more may stay in the queue whatever its length is.
    private const int Few = 16;

    private readonly Dictionary<ICoapTransportContext, LoopClock> _clocks = [];

    /// <summary>When the next one is due; <see cref="long.MaxValue"/> when none is.</summary>
    public long NextDue => _queue.TryPeek(out _, out long due) ? due : long.MaxValue;

    public bool IsEmpty => _queue.Count == 0;

    /// <summary>Begins to call the clock of an endpoint, at once; once for all of its transports.</summary>
    /// <param name="owner">The transport that asks.</param>
    /// <param name="now">Now.</param>
    /// <returns>The clock; to be given to <see cref="Leave"/>.</returns>
    public LoopClock Join(LoopOwner owner, long now)
    {
        if (!_clocks.TryGetValue(owner.Context, out LoopClock? clock))
        {
            _clocks.Add(owner.Context, clock = new LoopClock(owner));
        }

        clock.Users++;
        Schedule(clock, now);
        return clock;
    }

    /// <summary>A transport does not need the clock of its endpoint called any more.</summary>
    public void Leave(LoopClock clock)
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

    /// <summary>
    /// The first clock that is due; it stays in the queue, so that it is not lost when the role changes hands in the middle of its call.
    /// </summary>
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

    // All at once and seldom, as looking for one takes as long as the queue is.
    private void Sweep()
    {
        (LoopClock Clock, long Due)[] left = [
            .. _queue.UnorderedItems.Where(static entry => !entry.Element.IsRemoved && entry.Priority == entry.Element.Queued)];
        _queue.Clear();
        _queue.EnqueueRange(left);
        _removed = 0;
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
