namespace CoAP.NET.Cluster;

/// <summary>The status of a device at a moment.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Presence">Whether it is reachable.</param>
/// <param name="LastHeard">The time of its last message, if known; null for an unknown device. Exact at the node that has its session;
/// after a crash of that node up to 15 minutes old.</param>
/// <param name="Node">The id of the node that has its session or connection, as in logs; null if none has.</param>
public sealed record CoapDeviceStatus(string Name, CoapDevicePresence Presence, DateTimeOffset? LastHeard, string? Node);
