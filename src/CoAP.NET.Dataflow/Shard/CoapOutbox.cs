namespace CoAP.NET.Shard;

/// <summary>
/// What the stages decided under the lock and one drainer offers on after it was released, in order (law of the mesh: no foreign code under
/// the lock). A struct inside the channel. Only <see cref="TryLeave"/> may be called without Shard.Gate.
/// </summary>
internal struct CoapOutbox
{
    /// <summary>How many items may wait for the one who drains. Only a linked block that blocks lets them pile up.</summary>
    public const int Capacity = 4096;

    private const int Free = 0;
    private const int Draining = 1;
    private const int DrainingWithMore = 2;

    private int _state;

    /// <summary>Whether no further item can wait. What waits is kept by the channel, of which most never have any.</summary>
    public readonly bool IsFull(CoapChannel owner) => _state == DrainingWithMore && owner.Outbound is { Count: >= Capacity };

    /// <summary>
    /// Whether the caller may offer the item itself, right after it released the lock; then it must go on with <see cref="TryLeave"/> and
    /// <see cref="TryNext"/> until one of them frees the outbox. Otherwise the item waits for the one who drains.
    /// </summary>
    public bool TryEnter(in CoapOutbound item)
    {
        if (Volatile.Read(ref _state) == Free)
        {
            Volatile.Write(ref _state, Draining);
            return true;
        }

        // The drainer may leave at this very moment, which it does without the lock.
        if (_state != DrainingWithMore && Interlocked.CompareExchange(ref _state, DrainingWithMore, Draining) == Free)
        {
            Volatile.Write(ref _state, Draining);
            return true;
        }

        (item.Channel.Outbound ??= new Queue<CoapOutbound>()).Enqueue(item);
        return false;
    }

    /// <summary>Frees the outbox if nothing waits. The one call that needs no lock, so that an undisturbed drainer takes none.</summary>
    public bool TryLeave() => Interlocked.CompareExchange(ref _state, Free, Draining) == Draining;

    /// <summary>The next item for the one who drains; when there is none the outbox is free again.</summary>
    public bool TryNext(CoapChannel owner, out CoapOutbound item)
    {
        if (owner.Outbound is { } waiting && waiting.TryDequeue(out item))
        {
            if (waiting.Count == 0)
            {
                owner.Outbound = null;
                Volatile.Write(ref _state, Draining);
            }

            return true;
        }

        item = default;
        Volatile.Write(ref _state, Free);
        return false;
    }
}
