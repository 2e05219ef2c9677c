namespace CoAP.NET.Cluster;

/// <summary>The slot that a device's session has, and under which fence this node has it. Thread-safe.</summary>
internal sealed class SessionPlace
{
    private readonly CoapCluster _cluster;

    // Not set where the session came before this node had any slots, as the store was away.
    private readonly CoapFence _fence;

    /// <summary>Finds out.</summary>
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
    public bool IsMoving => Slot is { } slot && _cluster.Mover.IsMoving(slot, _fence);

    /// <summary>Whether another node has it, or is about to.</summary>
    public bool HasMoved => Slot is { } slot && (IsMoving || (_fence.IsSet
        ? _cluster.FenceOf(slot) != _fence
        : _cluster.Map[slot].Node is { IsSet: true } owner && owner != _cluster.Self.Id));
}
