using System.Collections.Concurrent;

namespace CoAP.NET.Shard;

/// <summary>
/// Events that arise under the locks of shards. They wait here, and are raised without a lock, one after the other: a handler that reads a
/// count sees the current number at the latest in the last event.
/// </summary>
/// <typeparam name="T">The type of an event.</typeparam>
/// <param name="environment">The environment of the endpoint.</param>
/// <param name="raise">Raises an event; it must not throw.</param>
internal sealed class UserEventQueue<T>(CoapEnvironment environment, Action<T> raise) : IDeferredWork
{
    private readonly ConcurrentQueue<T> _waiting = new();
    private int _count;
    private int _isRaising;

    /// <summary>Adds an event, unless too many wait. The caller holds the lock of the shard.</summary>
    public void Add(CoapShard shard, T happened)
    {
        if (Interlocked.Increment(ref _count) > UserCodePolicy.MaxWaiting)
        {
            Interlocked.Decrement(ref _count);
            environment.Counters.Add(CoapCounter.HandlerErrors);
            return;
        }

        _waiting.Enqueue(happened);
        shard.AfterRelease(this);
    }

    // Not if another thread raises events: it looks again after its last one.
    void IDeferredWork.OnReleased(CoapShard shard)
    {
        while (!_waiting.IsEmpty && Interlocked.CompareExchange(ref _isRaising, 1, 0) == 0)
        {
            while (_waiting.TryDequeue(out T? next))
            {
                Interlocked.Decrement(ref _count);
                raise(next);
            }

            Interlocked.Exchange(ref _isRaising, 0);
        }
    }
}
