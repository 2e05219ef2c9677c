namespace CoAP.NET.Cluster;

/// <summary>A notification of a device to one of the <see cref="CoapClusterObservations"/>.</summary>
/// <param name="Name">The name of the observation.</param>
/// <param name="Peer">The device.</param>
/// <param name="Response">The new state of the resource, or an error response.</param>
public sealed record CoapObservedNotification(string Name, CoapPeer Peer, CoapResponse Response);
