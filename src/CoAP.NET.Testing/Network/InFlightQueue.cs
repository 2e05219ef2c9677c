namespace CoAP.NET.Testing.Network;

/// <summary>The events in flight, ordered by time. Guarded by the network's lock.</summary>
/// <param name="clock">The network's time.</param>
internal sealed class InFlightQueue(NetworkElapsedTime clock)
{
    private readonly PriorityQueue<ScheduledDelivery, (TimeSpan Due, long Sequence)> _items = new();
    private long _sequence;

    public int Count => _items.Count;

    public void Enqueue(ScheduledDelivery item, TimeSpan delay) => _items.Enqueue(item, (clock.Now + delay, ++_sequence));

    /// <summary>The time of the next event; null for none.</summary>
    public TimeSpan? NextDue => _items.TryPeek(out _, out (TimeSpan Due, long Sequence) next) ? next.Due : null;

    /// <summary>The next event; null for none.</summary>
    public ScheduledDelivery? First => _items.TryPeek(out ScheduledDelivery? next, out _) ? next : null;

    /// <summary>Removes and returns a due event; null for none.</summary>
    public ScheduledDelivery? TakeDue() => NextDue <= clock.Now ? _items.Dequeue() : null;

    /// <summary>Drops the datagrams in flight to a host.</summary>
    public void CancelTo(CoapAddress host)
    {
        foreach ((ScheduledDelivery item, _) in _items.UnorderedItems)
        {
            item.IsCancelled |= item.Kind != InFlightKind.HostUp && NetworkLinkMatcher.MatchesAddress(host, item.To);
        }
    }
}
