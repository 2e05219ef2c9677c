using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Tables;

/// <summary>
/// The state of one slot of a table on a node: as its owner, or as read from the store. <see cref="TablePartition.Gate"/> guards all of it.
/// </summary>
/// <remarks>
/// A node that does not own the slot counts the changes that the owner tells of. What it must read is noted here, and later than the change
/// was stored, so that a later read finds the change.
/// </remarks>
internal sealed class ClusterReplicatedTableSlot : TablePartition
{
    private long _reported;

    /// <summary>The owner whose changes it has, or is about to read; unset before it knows one.</summary>
    public CoapFencingToken Fence { get; private set; }

    /// <summary>The number of the last change that the owner told of.</summary>
    public long Number { get; private set; }

    /// <summary>The fence under which it was released to another node; it returns under a new one.</summary>
    public CoapFencingToken Released { get; set; }

    /// <summary>Whether this node decides, and ends expired entries.</summary>
    public bool IsOwned { get; set; }

    /// <summary>Whether its entries were read, as owner or not.</summary>
    public bool IsLoaded { get; set; }

    /// <summary>Whether all of its entries must be read.</summary>
    public bool ReadsAll { get; set; } = true;

    public bool IsReading { get; set; }

    /// <summary>The entries that must be read. Null for none.</summary>
    public HashSet<CoapTableKey>? Wanted { get; private set; }

    /// <summary>The pending writes by key. Null for none.</summary>
    public Dictionary<CoapTableKey, Task<bool>>? Pending { get; set; }

    /// <summary>Whether a node with a fence must read all entries to decide about them.</summary>
    /// <param name="fence">The fence of this node; unset if it does not own the slot.</param>
    public bool IsTakenWith(CoapFencingToken fence) =>
        fence.IsSet && fence != Released && fence.Value >= Fence.Value && !(IsOwned && Fence == fence);

    /// <summary>Makes this node the owner, once all entries are read.</summary>
    public void Begin(CoapFencingToken fence) => (Fence, IsOwned, ReadsAll, Wanted) = (fence, true, false, null);

    /// <summary>Notes that another node has the slot, whose changes up to a number will be read.</summary>
    public void Follow(CoapFencingToken fence, long number = 0)
    {
        if (fence.Value > Fence.Value)
        {
            (Fence, Number, _reported, ReadsAll, IsOwned) = (fence, number, number, true, false);
        }
    }

    /// <summary>Notes changes that the owner tells of.</summary>
    public void ReceiveChanges(in ReplicatedTableChangeMessage change)
    {
        Follow(change.Fence);
        if (change.Fence != Fence || IsOwned || change.Last <= Number)
        {
            return;
        }

        // Others came before these.
        ReadsAll |= change.Before > Number;
        Number = change.Last;
        foreach (CoapTableKey key in change.Keys)
        {
            Want(key);
        }
    }

    /// <summary>
    /// Notes up to which change the owner has told the others. What it had told at the check before must have arrived since.
    /// </summary>
    public void Check(CoapFencingToken fence, long told)
    {
        Follow(fence, told);
        if (fence != Fence || IsOwned)
        {
            return;
        }

        if (ReadsAll || _reported > Number)
        {
            ReadsAll = true;
            Number = Math.Max(Number, told);
        }

        _reported = told;
    }

    /// <summary>Notes an entry that must be read.</summary>
    public void Want(CoapTableKey key)
    {
        if (ReadsAll)
        {
            return;
        }

        (Wanted ??= []).Add(key);
        if (Wanted.Count > TableUpdatePublisher.MostKeys)
        {
            (ReadsAll, Wanted) = (true, null);
        }
    }

    /// <summary>Begins to read: what is noted from now on is read again.</summary>
    /// <returns>The entries to read; null for all.</returns>
    public CoapTableKey[]? BeginReading(bool isAll)
    {
        CoapTableKey[]? keys = isAll ? null : [.. Wanted ?? []];
        (IsReading, Wanted) = (true, null);
        ReadsAll &= !isAll;
        return keys;
    }
}
