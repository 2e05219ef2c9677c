namespace CoAP.NET.Cluster;

/// <summary>What is known of a device at a moment.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Presence">Whether it can be asked.</param>
/// <param name="LastHeard">When it last said something, as far as is known; null for an unknown device. Exact at the node that has its
/// session; after a crash of that node up to 15 minutes old.</param>
/// <param name="Node">The node that has its session or connection; none (<see cref="CoapNodeId.IsSet"/>) when no node has.</param>
public sealed record CoapDeviceStatus(string Name, CoapDevicePresence Presence, DateTimeOffset? LastHeard, CoapNodeId Node);
