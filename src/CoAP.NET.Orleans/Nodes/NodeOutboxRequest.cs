using CoAP.NET.Cluster.Devices.Outbox;

namespace CoAP.NET.Orleans.Nodes;

/// <summary>A request for the outbox of a device, between silos.</summary>
/// <param name="RequestId">Its id.</param>
/// <param name="Device">The name of the device.</param>
/// <param name="Caller">The caller.</param>
/// <param name="Expires">The time at which it expires.</param>
/// <param name="IsRepeatable">Whether to repeat it if it may have taken effect.</param>
/// <param name="Message">The message, in the format of RFC 7252.</param>
[GenerateSerializer, Immutable, Alias("coap.node.outbox-request")]
internal sealed record NodeOutboxRequest(
    [property: Id(0)] Guid RequestId, [property: Id(1)] string Device, [property: Id(2)] string Caller,
    [property: Id(3)] DateTimeOffset Expires, [property: Id(4)] bool IsRepeatable, [property: Id(5)] ReadOnlyMemory<byte> Message)
{
    public static NodeOutboxRequest Of(OutboxEntry entry) =>
        new(entry.Id, entry.Device, entry.Caller, entry.Expires, entry.IsRepeatable, entry.RequestBytes);

    public OutboxEntry ToEntry() => new()
    {
        Id = RequestId,
        Device = Device,
        Caller = Caller,
        Queued = default,
        Expires = Expires,
        IsRepeatable = IsRepeatable,
        RequestBytes = Message,
    };
}
