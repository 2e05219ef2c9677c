using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Tables;

/// <summary>
/// Tells other nodes which entries of a slot its owner has changed. They read these entries from the store, or the whole slot if they
/// missed earlier changes.
/// </summary>
/// <param name="Table">The table.</param>
/// <param name="Slot">The slot.</param>
/// <param name="Fence">The fence of the owner, who counts its changes from 1.</param>
/// <param name="Before">The number of the change before these.</param>
/// <param name="Last">The number of the last one of these.</param>
/// <param name="Keys">The keys of the entries.</param>
internal readonly record struct ReplicatedTableChangeMessage(
    CoapRecordKind Table, CoapSlot Slot, CoapFencingToken Fence, long Before, long Last, IReadOnlyList<CoapTableKey> Keys)
{
    private const int HeadLength = 32;

    /// <summary>Its length in bytes between nodes, about.</summary>
    public int Length => HeadLength + Keys.Sum(static key => 1 + key.Bytes.Length);
}
