using System.Collections.Concurrent;

namespace CoAP.NET.Observing;

/// <summary>
/// The events of the observers of one route. What happens under the locks of shards waits in a queue, and is raised without a lock, one
/// after the other: so whoever counts in a handler sees, at the latest in the last one, how many there are.
/// </summary>
/// <param name="sender">Who events come from.</param>
internal sealed class ObserverEvents(object sender) : IAfterRelease
{
    private readonly ConcurrentQueue<(string Name, EventHandler<CoapObserverChange> Handlers, CoapObserverChange Change)> _waiting = new();
    private int _count;
    private int _isRaising;

    public event EventHandler<CoapObserverChange>? Came;

    public event EventHandler<CoapObserverChange>? Went;

    public event EventHandler<CoapObserverChange>? Acknowledged;

    /// <summary>
    /// Notes that a client became an observer. May be called under a lock; as for all of these, <see cref="Raise"/> must follow without it.
    /// </summary>
    /// <returns>Whether there is something to raise.</returns>
    public bool AddCame(CoapChannel channel, string path) =>
        TryAdd(nameof(CoapRouteHandlerBuilder.ObserverCame), Came, channel, path, null);

    /// <summary>Notes that a client is an observer no more; see <see cref="AddCame"/>.</summary>
    public bool AddWent(CoapChannel channel, string path, CoapObserverEnd end) =>
        TryAdd(nameof(CoapRouteHandlerBuilder.ObserverWent), Went, channel, path, end);

    /// <summary>Notes that a client acknowledged a notification; see <see cref="AddCame"/>.</summary>
    public bool AddAcknowledged(CoapChannel channel, string path) =>
        TryAdd(nameof(CoapRouteHandlerBuilder.ObserverAcknowledged), Acknowledged, channel, path, null);

    /// <summary>Raises what waits, unless another thread does so. No lock may be held.</summary>
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
