using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Tables;
using CoAP.NET.Tables;

namespace CoAP.NET.Orleans.Nodes;

/// <summary><see cref="ReplicatedTableChangeMessage"/> between silos.</summary>
/// <param name="Table">The table.</param>
/// <param name="Slot">The slot.</param>
/// <param name="Fence">The fence of the owner.</param>
/// <param name="Before">The number of the change before these.</param>
/// <param name="Last">The number of the last one of these.</param>
/// <param name="Keys">The keys of the entries.</param>
[GenerateSerializer, Immutable, Alias("coap.node.table-change")]
internal readonly record struct NodeTableChange(
    [property: Id(0)] byte Table, [property: Id(1)] byte Slot, [property: Id(2)] long Fence, [property: Id(3)] long Before,
    [property: Id(4)] long Last, [property: Id(5)] byte[][] Keys)
{
    public static NodeTableChange Of(ReplicatedTableChangeMessage change) => new((byte)change.Table, change.Slot.Number,
        change.Fence.Value, change.Before, change.Last, [.. change.Keys.Select(static key => key.Bytes.ToArray())]);

    public ReplicatedTableChangeMessage ToChange() => new((CoapRecordKind)Table, new CoapSlot(Slot), new CoapFencingToken(Fence), Before,
        Last, Array.ConvertAll(Keys, static key => new CoapTableKey(key)));
}
