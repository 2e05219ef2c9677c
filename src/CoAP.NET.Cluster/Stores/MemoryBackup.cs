namespace CoAP.NET.Cluster;

/// <summary>What a store in memory had at some time; see <see cref="CoapMemoryCluster.GoBack"/>.</summary>
/// <param name="Map">The map.</param>
/// <param name="Records">The records.</param>
internal sealed record MemoryBackup(CoapClusterMap Map, Dictionary<CoapRecordKey, MemoryRecord> Records);
