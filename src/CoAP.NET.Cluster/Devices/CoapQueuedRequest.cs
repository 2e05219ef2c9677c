namespace CoAP.NET.Cluster;

/// <summary>A request that waits in the outbox of a device.</summary>
/// <param name="Id">By which it is waited for and cancelled, on any node.</param>
/// <param name="Device">The name of the device.</param>
/// <param name="Method">The method.</param>
/// <param name="Path">The decoded path.</param>
/// <param name="Caller">Whose share it takes.</param>
/// <param name="Queued">When it was put into the outbox.</param>
/// <param name="Expires">When it is given up.</param>
/// <param name="IsSent">Whether it was sent and is not answered yet.</param>
public sealed record CoapQueuedRequest(
    Guid Id, string Device, CoapCode Method, string Path, string Caller, DateTimeOffset Queued, DateTimeOffset Expires, bool IsSent);
