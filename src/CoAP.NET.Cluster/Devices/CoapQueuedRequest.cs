namespace CoAP.NET.Cluster;

/// <summary>A request in the outbox of a device.</summary>
/// <param name="Id">The id for waiting and cancellation, on any node.</param>
/// <param name="Device">The name of the device.</param>
/// <param name="Method">The method.</param>
/// <param name="Path">The decoded path.</param>
/// <param name="Caller">The caller whose share it takes.</param>
/// <param name="Queued">The time at which it entered the outbox.</param>
/// <param name="Expires">The time at which it expires.</param>
/// <param name="IsSent">Whether it was sent and is still unanswered.</param>
public sealed record CoapQueuedRequest(
    Guid Id, string Device, CoapCode Method, string Path, string Caller, DateTimeOffset Queued, DateTimeOffset Expires, bool IsSent);
