using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>Holds state of slots in memory that must be in the store before a slot moves to another node.</summary>
internal interface ISlotStateHolder
{
    /// <summary>
    /// Finishes pending work, drops the state of the slot from memory, and completes when it is stored. A slot only returns under a new
    /// fence.
    /// </summary>
    /// <param name="slot">The slot.</param>
    /// <param name="cancellationToken">Ends the grace period for pending work.</param>
    Task ReleaseAsync(CoapSlot slot, CancellationToken cancellationToken);
}
