using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Orleans.Nodes;

/// <summary>The key of a session that a client can resume, between silos.</summary>
/// <param name="Slot">The slot.</param>
/// <param name="Key">The bytes of the key.</param>
[GenerateSerializer, Immutable, Alias("coap.node.resumption-key")]
internal readonly record struct NodeResumptionKey([property: Id(0)] byte Slot, [property: Id(1)] ReadOnlyMemory<byte> Key)
{
    public static NodeResumptionKey Of(CoapRecordKey key) => new(key.Slot.Number, key.Bytes);

    public CoapRecordKey ToKey() => new(CoapRecordKind.Resumption, new CoapSlot(Slot), Key.Span);
}
