using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Tables;

/// <summary>A question of a node to the owner of a slot. Immutable.</summary>
/// <param name="Node">The node that asks.</param>
/// <param name="Table">The table.</param>
/// <param name="Key">The key of the entry.</param>
/// <param name="Content">The question to the rules.</param>
internal sealed record TableQuestion(CoapNodeId Node, CoapRecordKind Table, CoapTableKey Key, ReadOnlyMemory<byte> Content);
