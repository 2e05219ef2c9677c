using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Devices.Outbox;

namespace CoAP.NET.Orleans.Nodes;

/// <summary><see cref="OutboxOutcome"/> between silos.</summary>
/// <param name="Response">The response, in the format of RFC 7252; empty for a failure.</param>
/// <param name="Fault">The reason of a failure.</param>
/// <param name="Why">The description of a failure; null for that of the reason.</param>
[GenerateSerializer, Immutable, Alias("coap.node.outbox-outcome")]
internal sealed record NodeOutboxOutcome(
    [property: Id(0)] ReadOnlyMemory<byte> Response, [property: Id(1)] byte Fault, [property: Id(2)] string? Why)
{
    public static NodeOutboxOutcome Of(OutboxOutcome outcome) => new(outcome.Response, (byte)outcome.Fault, outcome.Why);

    public OutboxOutcome ToOutcome() => new(Response, (CoapDeviceFault)Fault, Why);
}

/// <summary><see cref="OutboxAddition"/> between silos.</summary>
/// <param name="Request">The request; null if the outbox refused it.</param>
/// <param name="Fault">The reason of a refusal.</param>
/// <param name="Why">The description of a refusal; null for that of the reason.</param>
[GenerateSerializer, Immutable, Alias("coap.node.outbox-addition")]
internal sealed record NodeOutboxAddition(
    [property: Id(0)] NodeQueuedRequest? Request, [property: Id(1)] byte Fault, [property: Id(2)] string? Why)
{
    public static NodeOutboxAddition Of(OutboxAddition added) =>
        new(added.Request is { } request ? NodeQueuedRequest.Of(request) : null, (byte)added.Fault, added.Why);

    public OutboxAddition ToAddition() => new(Request?.ToPublic(), (CoapDeviceFault)Fault, Why);
}

/// <summary><see cref="CoapQueuedRequest"/> between silos.</summary>
/// <param name="RequestId">Its id.</param>
/// <param name="Device">The name of the device.</param>
/// <param name="Method">The method.</param>
/// <param name="Path">The path.</param>
/// <param name="Caller">The caller.</param>
/// <param name="Queued">The time at which it entered the outbox.</param>
/// <param name="Expires">The time at which it expires.</param>
/// <param name="IsSent">Whether it was sent and is still unanswered.</param>
[GenerateSerializer, Immutable, Alias("coap.node.queued-request")]
internal sealed record NodeQueuedRequest(
    [property: Id(0)] Guid RequestId, [property: Id(1)] string Device, [property: Id(2)] byte Method, [property: Id(3)] string Path,
    [property: Id(4)] string Caller, [property: Id(5)] DateTimeOffset Queued, [property: Id(6)] DateTimeOffset Expires,
    [property: Id(7)] bool IsSent)
{
    public static NodeQueuedRequest Of(CoapQueuedRequest request) => new(request.Id, request.Device, request.Method.Value, request.Path,
        request.Caller, request.Queued, request.Expires, request.IsSent);

    public CoapQueuedRequest ToPublic() =>
        new(RequestId, Device, new CoapCode(Method), Path, Caller, Queued, Expires, IsSent);
}
