using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>Maps as a store gives them back.</summary>
internal static class MapReading
{
    /// <summary>The same owners with some nodes there.</summary>
    public static CoapClusterSlotMap Read(this CoapClusterSlotMap map, IEnumerable<CoapClusterNode> nodes) =>
        new(map.Version, nodes, [.. CoapSlot.All.Select(slot => map[slot])]);

    /// <inheritdoc cref="Read"/>
    public static CoapClusterSlotMap With(this CoapClusterSlotMap map, params CoapClusterNode[] nodes) => map.Read(nodes);
}
