namespace CoAP.NET.Cluster.Devices.Observing;

/// <summary>A resource of a device that is observed by any node. Immutable.</summary>
internal sealed class ObservedResource
{
    // A request in one message, at any node.
    private const int MaxRequest = 64 * 1024;

    /// <summary>Creates it from what another node has of it.</summary>
    public ObservedResource(string device, ReadOnlyMemory<byte> message, CoapReregistrationPolicy rule) =>
        (Device, Message, Rule) = (device, message, rule);

    public string Device { get; }

    /// <summary>The message that registers, in the format of RFC 7252.</summary>
    public ReadOnlyMemory<byte> Message { get; }

    /// <summary>The rule for registering again.</summary>
    public CoapReregistrationPolicy Rule { get; }

    /// <summary>Returns the resource of a request.</summary>
    /// <param name="device">The name of the device.</param>
    /// <param name="request">The request.</param>
    /// <param name="rule">The rule for registering again.</param>
    /// <exception cref="ArgumentException">The request cannot be observed.</exception>
    public static ObservedResource Of(string device, CoapRequest request, CoapReregistrationPolicy rule)
    {
        if (!DeviceRequestMessageFactory.IsSafe(request))
        {
            throw new ArgumentException(
                $"{request.Code} cannot be observed; GET and FETCH can (RFC 7641 section 1.2, RFC 8132 section 2).", nameof(request));
        }

        CoapMessage message = DeviceRequestMessageFactory.Of(request);
        message.Options.Remove(OptionNumber.Observe);
        message.Options.Remove(OptionNumber.ETag);
        return DeviceRequestMessageFactory.IsWhole(request)
            && CoapDatagramSerializer.Default.Serialize(message) is { Length: <= MaxRequest } bytes
            ? new ObservedResource(device, bytes, rule)
            : throw new ArgumentException(
                $"A request that observes a device must have its body in memory, and at most {MaxRequest:N0} bytes.", nameof(request));
    }

    public CoapRequest ToRequest() => new(CoapDatagramSerializer.Default.Deserialize(Message.Span));
}
