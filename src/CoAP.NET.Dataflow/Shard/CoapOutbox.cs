using System.Runtime.InteropServices;

namespace CoAP.NET.Shard;

/// <summary>
/// Items that the stages decided to send under the lock. One drainer offers them in order after its release (rule of the mesh: no foreign
/// code under the lock). A struct inside the channel. Only <see cref="TryLeave"/> may be called without Shard.Gate.
/// </summary>
internal struct CoapOutbox
{
    /// <summary>The maximum number of items that wait for the drainer. Only a blocking linked block lets them pile up.</summary>
    public const int Capacity = 4096;

    private const int Free = 0;
    private const int Draining = 1;
    private const int DrainingWithMore = 2;

    private int _state;

    /// <summary>Whether no further item can wait. The shard keeps the waiting items; most channels never have any.</summary>
    public readonly bool IsFull(CoapChannel owner) =>
        _state == DrainingWithMore && owner.Shard.WaitingOutbound.TryGetValue(owner, out Queue<CoapOutbound>? waiting)
            && waiting.Count >= Capacity;

    /// <summary>
    /// Whether the caller may offer the item itself, right after it released the lock. It must then continue with <see cref="TryLeave"/>
    /// and <see cref="TryNext"/> until one of them frees the outbox. Otherwise the item waits for the drainer.
    /// </summary>
    public bool TryEnter(in CoapOutbound item)
    {
        if (Volatile.Read(ref _state) == Free)
        {
            Volatile.Write(ref _state, Draining);
            return true;
        }

        // The drainer may leave at this very moment, without the lock.
        if (_state != DrainingWithMore && Interlocked.CompareExchange(ref _state, DrainingWithMore, Draining) == Free)
        {
            Volatile.Write(ref _state, Draining);
            return true;
        }

        Dictionary<CoapChannel, Queue<CoapOutbound>> all = item.Channel.Shard.WaitingOutbound;
        (CollectionsMarshal.GetValueRefOrAddDefault(all, item.Channel, out _) ??= new Queue<CoapOutbound>()).Enqueue(item);
        return false;
    }

    /// <summary>Frees the outbox if nothing waits. The only method that needs no lock, so an undisturbed drainer takes none.</summary>
    public bool TryLeave() => Interlocked.CompareExchange(ref _state, Free, Draining) == Draining;

    /// <summary>Returns the next item for the drainer; without one, the outbox is free again.</summary>
    public bool TryNext(CoapChannel owner, out CoapOutbound item)
    {
        if (owner.Shard.WaitingOutbound.TryGetValue(owner, out Queue<CoapOutbound>? waiting) && waiting.TryDequeue(out item))
        {
            if (waiting.Count == 0)
            {
                owner.Shard.WaitingOutbound.Remove(owner);
                Volatile.Write(ref _state, Draining);
            }

            return true;
        }

        item = default;
        Volatile.Write(ref _state, Free);
        return false;
    }
}
