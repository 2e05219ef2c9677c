using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Maps;

/// <summary>The live nodes, and the owner and fence of each slot, at one moment. Immutable.</summary>
/// <remarks>A change is a new map, which <see cref="ICoapClusterStore.TryChangeAsync"/> accepts unless another node was faster.</remarks>
internal sealed class CoapClusterSlotMap
{
    private readonly CoapSlotOwner[] _owners;

    /// <summary>Creates a map, as a store read it.</summary>
    /// <param name="version">The number of changes so far. At least 0.</param>
    /// <param name="nodes">The live nodes, in any order.</param>
    /// <param name="owners">The owner of each slot: 256.</param>
    /// <param name="staleFence">See <see cref="StaleFence"/>. Default unset.</param>
    /// <exception cref="ArgumentException">The version is negative, or the number of owners is not 256.</exception>
    public CoapClusterSlotMap(
        long version, IEnumerable<CoapClusterNode> nodes, ReadOnlySpan<CoapSlotOwner> owners, CoapFencingToken staleFence = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(version);
        ArgumentNullException.ThrowIfNull(nodes);
        if (owners.Length != CoapSlot.Count)
        {
            throw new ArgumentException($"A map must have {CoapSlot.Count} owners, one for each slot, but has "
                + $"{owners.Length}.", nameof(owners));
        }

        Version = version;
        Nodes = [.. nodes.OrderBy(static node => node.Id.Value)];
        StaleFence = staleFence;
        _owners = owners.ToArray();
    }

    private CoapClusterSlotMap(long version, IReadOnlyList<CoapClusterNode> nodes, CoapSlotOwner[] owners)
    {
        Version = version;
        Nodes = nodes;
        _owners = owners;
    }

    /// <summary>The map of a cluster that no node has joined yet.</summary>
    public static CoapClusterSlotMap Empty { get; } = new(0, [], new CoapSlotOwner[CoapSlot.Count]);

    /// <summary>How often slots changed their owner. Nodes that join or leave do not change it.</summary>
    public long Version { get; }

    /// <summary>
    /// The highest fence of the time before the store lost confirmed writes; unset if that never happened. Records that were written under
    /// it or a lower one may be older than what was confirmed: stored sessions of them are refused, and numbers continue far above.
    /// </summary>
    public CoapFencingToken StaleFence { get; private init; }

    /// <summary>Whether a record may be older than what was confirmed; see <see cref="StaleFence"/>.</summary>
    /// <returns>True if the store lost writes after it.</returns>
    public bool IsStale(CoapRecord record)
    {
        ArgumentNullException.ThrowIfNull(record);
        return record.IsStale || record.Fence.Value <= StaleFence.Value;
    }

    /// <summary>
    /// Returns the map for a store that went back to this one, and lost later changes: all slots are without an owner, version and fences
    /// are above those that were lost, and <see cref="StaleFence"/> covers all records so far.
    /// </summary>
    /// <param name="known">The highest version of a map that was read before.</param>
    /// <param name="now">The time of the loss. Version and fences begin above it, so that a store that goes back twice to the same state,
    /// such as that of a standby which followed neither, never gives the same fence twice.</param>
    /// <returns>The map, which the store writes before anybody uses this one.</returns>
    public CoapClusterSlotMap AfterLoss(long known, DateTimeOffset now)
    {
        // What was lost is not known. No cluster changes its map so often while a standby lags behind, or within a millisecond.
        const long Jump = 1 << 20;
        long moment = checked(Math.Max(now.ToUnixTimeMilliseconds(), 0) * Jump);
        long highest = Math.Max(_owners.Max(static owner => owner.Fence.Value), StaleFence.Value);
        CoapFencingToken stale = new(Math.Max(checked(highest + Jump), moment));
        CoapSlotOwner[] owners = [.. _owners.Select(_ => new CoapSlotOwner(default, stale.Next()))];
        return new CoapClusterSlotMap(Math.Max(checked(Math.Max(Version, known) + Jump), moment), Nodes, owners)
        {
            Changed = CoapSlot.All,
            StaleFence = stale,
        };
    }

    /// <summary>Whether the store has just lost writes, and no node has taken a slot since.</summary>
    internal bool IsAfterLoss => StaleFence.IsSet && _owners.All(owner => owner.Fence == StaleFence.Next());

    /// <summary>The nodes whose lease is valid, in the order of their ids.</summary>
    public IReadOnlyList<CoapClusterNode> Nodes { get; }

    public CoapSlotOwner this[CoapSlot slot] => _owners[slot.Number];

    /// <summary>Whether the lease of a node is valid.</summary>
    /// <returns>True if it is valid.</returns>
    public bool IsThere(CoapNodeId node)
    {
        foreach (CoapClusterNode other in Nodes)
        {
            if (other.Id == node)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>The slots of a node, whether it is live or not.</summary>
    /// <returns>The slots, in their order.</returns>
    public IReadOnlyList<CoapSlot> SlotsOf(CoapNodeId node) => [.. CoapSlot.All.Where(slot => this[slot].Node == node)];

    /// <summary>The slots that no live node has.</summary>
    /// <returns>The slots, in their order.</returns>
    public IReadOnlyList<CoapSlot> Orphans()
    {
        HashSet<CoapNodeId> there = [.. Nodes.Select(static node => node.Id)];
        return [.. CoapSlot.All.Where(slot => !there.Contains(this[slot].Node))];
    }

    /// <summary>
    /// Creates the map in which a node has some slots, each under a new fence, also those that it had before. For
    /// <see cref="ICoapClusterStore.TryChangeAsync"/>.
    /// </summary>
    /// <exception cref="InvalidOperationException">This map is a change itself that no store has accepted yet.</exception>
    public CoapClusterSlotMap Assign(CoapNodeId node, IEnumerable<CoapSlot> slots)
    {
        ArgumentNullException.ThrowIfNull(slots);
        if (Changed.Count > 0)
        {
            throw new InvalidOperationException(
                "This map is a change that no store has accepted yet. Assign all slots of a node in one call.");
        }

        CoapSlotOwner[] owners = [.. _owners];
        SortedSet<CoapSlot> changed = [.. slots];
        foreach (CoapSlot slot in changed)
        {
            owners[slot.Number] = new CoapSlotOwner(node, owners[slot.Number].Fence.Next());
        }

        return new CoapClusterSlotMap(checked(Version + 1), Nodes, owners) { Changed = [.. changed], StaleFence = StaleFence };
    }

    /// <summary>The slots whose owner or fence differs from the map before, in their order; for engines. Empty for a map that was read.
    /// </summary>
    public IReadOnlyList<CoapSlot> Changed { get; private init; } = [];

    /// <summary>Returns this map with other nodes.</summary>
    /// <param name="nodes">The live nodes, in any order.</param>
    internal CoapClusterSlotMap WithNodes(IEnumerable<CoapClusterNode> nodes) => new(Version, nodes, _owners, StaleFence);

    /// <summary>Whether another map has the same owners, fences and nodes.</summary>
    public bool HasSameContent(CoapClusterSlotMap other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return Version == other.Version && StaleFence == other.StaleFence && Nodes.SequenceEqual(other.Nodes)
            && _owners.AsSpan().SequenceEqual(other._owners);
    }
}
