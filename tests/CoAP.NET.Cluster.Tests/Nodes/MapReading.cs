namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>Maps as a store gives them back.</summary>
internal static class MapReading
{
    /// <summary>The same owners with some nodes there.</summary>
    public static CoapClusterMap Read(this CoapClusterMap map, IEnumerable<CoapClusterNode> nodes) =>
        new(map.Version, nodes, [.. CoapSlot.All.Select(slot => map[slot])]);

    /// <inheritdoc cref="Read"/>
    public static CoapClusterMap With(this CoapClusterMap map, params CoapClusterNode[] nodes) => map.Read(nodes);
}
