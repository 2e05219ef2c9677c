namespace CoAP.NET.Channels;

/// <summary>
/// What the stages decided under the lock and one drainer offers on after it was released, in order (law of the mesh: no foreign code under the lock).
/// A struct inside the channel; guarded by Shard.Gate.
/// </summary>
internal struct CoapOutbox
{
    private Queue<CoapOutbound>? _waiting;
    private bool _draining;

    /// <summary>Whether the caller may offer the item itself, right after it released the lock; then it must go on with <see cref="TryNext"/> until that says no. Otherwise the item waits for the one who drains.</summary>
    public bool TryEnter(in CoapOutbound item)
    {
        if (!_draining)
        {
            _draining = true;
            return true;
        }

        (_waiting ??= new Queue<CoapOutbound>()).Enqueue(item);
        return false;
    }

    /// <summary>The next item for the one who drains; when there is none the outbox is free again.</summary>
    public bool TryNext(out CoapOutbound item)
    {
        if (_waiting is not null && _waiting.TryDequeue(out item))
        {
            return true;
        }

        item = default;
        _draining = false;
        return false;
    }
}
