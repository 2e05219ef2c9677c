using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Orleans.Nodes;
using Orleans.Runtime;

namespace CoAP.NET.Orleans.Slots;

/// <summary>The slots that are active at this silo, and the owners of all slots. Thread-safe.</summary>
/// <param name="cluster">The node.</param>
/// <param name="network">Knows the silos.</param>
/// <param name="time">The clock.</param>
internal sealed class SiloSlotTable(CoapCluster cluster, SiloNetwork network, TimeProvider time)
{
    private readonly SlotGrain?[] _active = new SlotGrain?[CoapSlot.Count];

    // When each slot was released here last, as a timestamp; 0 for never.
    private readonly long[] _released = new long[CoapSlot.Count];

    public CoapCluster Cluster => cluster;

    public SiloAddress Silo => network.Silo;

    /// <summary>Returns the activation of a slot here; null if there is none.</summary>
    public SlotGrain? Find(CoapSlot slot) => Volatile.Read(ref _active[slot.Number]);

    /// <summary>Returns the time since a slot was released here.</summary>
    public TimeSpan SinceReleaseOf(CoapSlot slot) =>
        Volatile.Read(ref _released[slot.Number]) is not 0 and var then ? time.GetElapsedTime(then) : TimeSpan.MaxValue;

    /// <summary>Returns the silo of the live owner of a slot; null if it has none.</summary>
    public SiloAddress? OwnerOf(CoapSlot slot) => SiloOf(cluster.Map, cluster.Map[slot].Node);

    /// <summary>Returns the silo that is to have a slot; null if no node serves yet.</summary>
    public SiloAddress? PlannedSiloOf(CoapSlot slot)
    {
        CoapClusterSlotMap map = cluster.Map;
        SlotPlan plan = cluster.PlanOf(map);
        return plan.IsShared ? SiloOf(map, plan[slot]) : null;
    }

    /// <summary>Returns the silo of a node of a map; null if it has none that serves.</summary>
    public SiloAddress? SiloOf(CoapClusterSlotMap map, CoapNodeId node) =>
        node == cluster.Self.Id ? network.Silo : SiloNetwork.SiloOf(map, node);

    /// <summary>Takes a slot for an activation.</summary>
    /// <param name="grain">The activation.</param>
    /// <param name="slot">The slot.</param>
    /// <param name="released">The fence under which its last owner released it; unset if none did.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>False if another node has it.</returns>
    public async Task<bool> TryTakeAsync(SlotGrain grain, CoapSlot slot, CoapFencingToken released, CancellationToken cancellationToken)
    {
        bool isTaken = await cluster.SlotOwnership.TakeAsync(slot, released, cancellationToken).ConfigureAwait(false);
        if (isTaken)
        {
            Volatile.Write(ref _active[slot.Number], grain);
            _ = ReleaseAtEndAsync(grain, slot);
        }

        return isTaken;
    }

    /// <summary>Releases the slot of an activation.</summary>
    /// <param name="grain">The activation.</param>
    /// <param name="slot">The slot.</param>
    /// <param name="cancellationToken">Ends the grace period for pending work.</param>
    /// <returns>The fence under which it was released; unset if another node has taken it.</returns>
    public async Task<CoapFencingToken> ReleaseAsync(SlotGrain grain, CoapSlot slot, CancellationToken cancellationToken)
    {
        try
        {
            return await cluster.SlotOwnership.ReleaseAsync(slot, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            Volatile.Write(ref _released[slot.Number], time.GetTimestamp());
            Interlocked.CompareExchange(ref _active[slot.Number], null, grain);
        }
    }

    // Orleans does not call OnDeactivateAsync of an activation that ends before its OnActivateAsync has returned.
    private async Task ReleaseAtEndAsync(SlotGrain grain, CoapSlot slot)
    {
        await grain.Ended.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ForceYielding);
        if (Find(slot) == grain)
        {
            await ReleaseAsync(grain, slot, CancellationToken.None).ConfigureAwait(false);
        }
    }
}
