namespace CoAP.NET.Cluster;

/// <summary>The slot of a device's session, and this node's fence of it. Thread-safe.</summary>
internal sealed class SessionPlace
{
    private readonly CoapCluster _cluster;

    // Unset if the session came before this node owned slots, because the store was unavailable.
    private readonly CoapFence _fence;

    /// <summary>Determines the place.</summary>
    /// <param name="cluster">The cluster.</param>
    /// <param name="peer">The device, whose session has just come.</param>
    public SessionPlace(CoapCluster cluster, CoapPeer peer)
    {
        _cluster = cluster;
        if (peer.DurableId is { IsEmpty: false } session)
        {
            Slot = new CoapSlot(session.Span[0]);
            _fence = cluster.FenceOf(Slot.Value);
        }
    }

    /// <summary>The slot; null for a session or connection that stays at this node.</summary>
    public CoapSlot? Slot { get; }

    /// <summary>Whether it is being handed over to another node.</summary>
    public bool IsMoving => Slot is { } slot && _cluster.Releases.IsMoving(slot, _fence);

    /// <summary>Whether another node owns it, or is about to.</summary>
    public bool HasMoved => Slot is { } slot && (IsMoving || (_fence.IsSet
        ? _cluster.FenceOf(slot) != _fence
        : _cluster.Map[slot].Node is { IsSet: true } owner && owner != _cluster.Self.Id));
}
