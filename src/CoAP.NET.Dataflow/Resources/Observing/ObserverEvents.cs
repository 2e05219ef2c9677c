using System.Collections.Concurrent;

namespace CoAP.NET.Observing;

/// <summary>
/// The events of the observers of one route. Events under the locks of shards wait in a queue, and are raised without a lock, one after the
/// other: a handler that reads the count sees the current number at the latest in the last event.
/// </summary>
/// <param name="sender">The sender of the events.</param>
internal sealed class ObserverEvents(object sender) : IAfterRelease
{
    private readonly ConcurrentQueue<(string Name, EventHandler<CoapObserverChange> Handlers, CoapObserverChange Change)> _waiting = new();
    private int _count;
    private int _isRaising;

    public event EventHandler<CoapObserverChange>? Came;

    public event EventHandler<CoapObserverChange>? Went;

    public event EventHandler<CoapObserverChange>? Acknowledged;

    /// <summary>
    /// Queues the event that a client became an observer. May be called under a lock; as for all of these, <see cref="Raise"/> must follow
    /// without it.
    /// </summary>
    /// <returns>Whether there is something to raise.</returns>
    public bool AddCame(CoapChannel channel, string path) =>
        TryAdd(nameof(CoapRouteHandlerBuilder.ObserverCame), Came, channel, path, null);

    /// <summary>Queues the event that a client is no longer an observer; see <see cref="AddCame"/>.</summary>
    public bool AddWent(CoapChannel channel, string path, CoapObserverEnd end) =>
        TryAdd(nameof(CoapRouteHandlerBuilder.ObserverWent), Went, channel, path, end);

    /// <summary>Queues the event that a client acknowledged a notification; see <see cref="AddCame"/>.</summary>
    public bool AddAcknowledged(CoapChannel channel, string path) =>
        TryAdd(nameof(CoapRouteHandlerBuilder.ObserverAcknowledged), Acknowledged, channel, path, null);

    /// <summary>Raises the queued events, unless another thread does so. The caller must hold no lock.</summary>
    public void Raise(CoapEnvironment environment)
    {
        while (!_waiting.IsEmpty && Interlocked.CompareExchange(ref _isRaising, 1, 0) == 0)
        {
            while (_waiting.TryDequeue(out (string Name, EventHandler<CoapObserverChange> Handlers, CoapObserverChange Change) next))
            {
                Interlocked.Decrement(ref _count);
                UserEvents.Raise(environment, next.Name, next.Handlers, sender, next.Change);
            }

            Interlocked.Exchange(ref _isRaising, 0);
        }
    }

    void IAfterRelease.OnReleased(CoapShard shard) => Raise(shard.Environment);

    private bool TryAdd(string name, EventHandler<CoapObserverChange>? handlers, CoapChannel channel, string path, CoapObserverEnd? end)
    {
        if (handlers is null)
        {
            return false;
        }

        if (Interlocked.Increment(ref _count) > UserCodePolicy.MaxWaitingEvents)
        {
            Interlocked.Decrement(ref _count);
            channel.Shard.Environment.Counters.Add(CoapCounter.HandlerErrors);
            return false;
        }

        _waiting.Enqueue((name, handlers, new CoapObserverChange(CoapPeer.Of(channel), path, end)));
        return true;
    }
}
