namespace CoAP.NET.Cluster.Devices.Outbox;

/// <summary>The slot of the device's name moved to another node, or is not loaded yet: ask again.</summary>
internal sealed class OutboxMovedException() : Exception("The outbox moved to another node.");
