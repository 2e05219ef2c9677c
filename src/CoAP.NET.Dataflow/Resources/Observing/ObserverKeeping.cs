using System.Collections.Concurrent;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Observing;

/// <summary>
/// Informs the keeper of observers. Events under the locks of shards wait in a queue, and are reported without a lock, one after the other.
/// </summary>
/// <param name="keeper">The keeper.</param>
/// <param name="state">The state of the endpoint, for example stopping.</param>
/// <param name="environment">Handles exceptions of the keeper.</param>
internal sealed class ObserverKeeping(ICoapObserverKeeper keeper, EndpointState state, CoapEnvironment environment) : IAfterRelease
{
    private readonly ConcurrentQueue<(CoapKeptObserver Observer, ObserverWord Word, CoapObserverEnd End)> _waiting = new();
    private int _count;
    private int _isTelling;

    /// <summary>Reports a new observer. The caller holds the lock of its shard.</summary>
    /// <param name="observer">The observer.</param>
    public void Came(Observer observer) => Add(observer, ObserverWord.Came, default);

    /// <summary>Reports that a client is still an observer. The caller holds the lock of its shard.</summary>
    /// <param name="observer">The observer.</param>
    public void Confirmed(Observer observer) => Add(observer, ObserverWord.Confirmed, default);

    /// <summary>Reports that a client is no longer an observer. The caller holds the lock of its shard.</summary>
    /// <param name="observer">The observer.</param>
    /// <param name="end">The reason.</param>
    public void Went(Observer observer, CoapObserverEnd end)
    {
        if (!state.IsStopping)
        {
            Add(observer, ObserverWord.Went, end);
        }
    }

    void IAfterRelease.OnReleased(CoapShard shard)
    {
        while (!_waiting.IsEmpty && Interlocked.CompareExchange(ref _isTelling, 1, 0) == 0)
        {
            while (_waiting.TryDequeue(out (CoapKeptObserver Observer, ObserverWord Word, CoapObserverEnd End) next))
            {
                Interlocked.Decrement(ref _count);
                UserEvents.Run(environment, nameof(ICoapObserverKeeper), () => Tell(next.Observer, next.Word, next.End));
            }

            Interlocked.Exchange(ref _isTelling, 0);
        }
    }

    private void Add(Observer observer, ObserverWord word, CoapObserverEnd end)
    {
        // RFC 8323 section 7.4 ends those of connections; notifications of protected observers are bound to a request that only this
        // process has seen (RFC 8613 section 5.4).
        if (observer.Channel.IsReliable || observer.Channel.Carried is not null)
        {
            return;
        }

        // The keeper does not return; an unreported event costs a registration, or a rejected notification.
        if (Interlocked.Increment(ref _count) > UserCodePolicy.MaxWaitingEvents)
        {
            Interlocked.Decrement(ref _count);
            environment.Counters.Add(CoapCounter.HandlerErrors);
            return;
        }

        SubjectKey key = observer.Subject.Key.ToKeep();
        CoapMessage request = new(key.Code, key.Options!) { Token = observer.Token, Payload = key.Payload };
        CoapContentFormat? format = observer.Format < 0 ? null : new CoapContentFormat((ushort)observer.Format);
        _waiting.Enqueue((new CoapKeptObserver(CoapPeer.Of(observer.Channel), request, format), word, end));
        observer.Channel.Shard.AfterRelease(this);
    }

    private void Tell(CoapKeptObserver observer, ObserverWord word, CoapObserverEnd end)
    {
        switch (word)
        {
            case ObserverWord.Came:
                keeper.Registered(observer);
                break;
            case ObserverWord.Confirmed:
                keeper.Confirmed(observer);
                break;
            default:
                keeper.Removed(observer, end);
                break;
        }
    }

    private enum ObserverWord
    {
        Came,
        Confirmed,
        Went,
    }
}
