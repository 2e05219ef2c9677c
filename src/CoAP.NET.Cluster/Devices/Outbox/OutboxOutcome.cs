namespace CoAP.NET.Cluster.Devices.Outbox;

/// <summary>The outcome of a request from an outbox. Immutable.</summary>
/// <param name="Response">The response, in the format of RFC 7252; empty for a failure.</param>
/// <param name="Fault">The reason of a failure.</param>
/// <param name="Why">The description of a failure, as a sentence; null for the text of the fault.</param>
internal sealed record OutboxOutcome(ReadOnlyMemory<byte> Response, CoapDeviceFault Fault = default, string? Why = null)
{
    /// <summary>Returns the response.</summary>
    /// <exception cref="CoapDeviceException">There is no response.</exception>
    public CoapResponse GetResponse(string device) => Response.Length > 0
        ? CoapResponse.FromMessage(CoapDatagramSerializer.Default.Deserialize(Response.Span))
        : throw CoapDeviceException.Queued(device, Fault, Why);
}

/// <summary>The answer of an outbox to a new request. Immutable.</summary>
/// <param name="Request">The request; null if the outbox refused it.</param>
/// <param name="Fault">The reason of a refusal.</param>
/// <param name="Why">The description of a refusal, as a sentence; null for the text of the fault.</param>
internal sealed record OutboxAddition(CoapQueuedRequest? Request, CoapDeviceFault Fault = default, string? Why = null)
{
    /// <summary>Returns the request.</summary>
    /// <exception cref="CoapDeviceException">The outbox refused it.</exception>
    public CoapQueuedRequest GetRequest(string device) => Request ?? throw (Fault == CoapDeviceFault.Unreachable
        ? CoapDeviceException.Unreachable(device, Why!)
        : CoapDeviceException.Queued(device, Fault, Why));
}
