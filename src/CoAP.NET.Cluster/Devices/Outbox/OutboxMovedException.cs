namespace CoAP.NET.Cluster;

/// <summary>The slot of the device's name is at another node by now, or not loaded yet: ask again.</summary>
internal sealed class OutboxMovedException() : Exception("The outbox is at another node by now.");
