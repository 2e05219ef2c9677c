using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>
/// The slots that are active at this node. While a slot is active, its node owns it: it is taken by <see cref="SlotOwnership"/> when it
/// is activated, and released when it ends. Thread-safe.
/// </summary>
internal interface ISlotActivations
{
    /// <summary>Whether a slot is active here: the map of the node has already shown the node as the owner.</summary>
    bool IsActive(CoapSlot slot);

    /// <summary>Whether an active slot can be moved now: its activation is complete.</summary>
    bool CanMove(CoapSlot slot);

    /// <summary>Returns the time since a slot was released here; <see cref="TimeSpan.MaxValue"/> for never.</summary>
    TimeSpan SinceReleaseOf(CoapSlot slot);

    Task ActivateAsync(CoapSlot slot);

    /// <summary>Ends the activation of a slot, because another node owns it.</summary>
    void End(CoapSlot slot);

    /// <summary>Whether a node of a map can get slots of this one.</summary>
    bool CanReach(CoapClusterSlotMap map, CoapNodeId node);

    /// <summary>Moves an active slot to another node: it is released here, and taken there under the fence of the release.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="map">The map.</param>
    /// <param name="to">The node, which <see cref="CanReach"/>.</param>
    void Move(CoapSlot slot, CoapClusterSlotMap map, CoapNodeId to);
}
