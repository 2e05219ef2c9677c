namespace CoAP.NET.Cluster.Devices.Outbox;

/// <summary>
/// The outbox is not available at this node now: its slot moved or is not loaded, or the request was not stored. Ask again.
/// </summary>
internal sealed class OutboxMovedException() : Exception("The outbox is not available at this node now. Ask again.");
