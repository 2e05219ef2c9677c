using CoAP.NET.Cluster.Devices;

namespace CoAP.NET.Orleans.Messages;

/// <summary>A <see cref="CoapRequest"/> to a device, between silos.</summary>
/// <param name="Message">The message, in the format of RFC 7252.</param>
/// <param name="IsConfirmable">Whether it is Confirmable.</param>
/// <param name="Timeout">The timeout; null for that of the session.</param>
[GenerateSerializer, Immutable, Alias("coap.request")]
internal readonly record struct RequestSurrogate(
    [property: Id(0)] ReadOnlyMemory<byte> Message, [property: Id(1)] bool IsConfirmable, [property: Id(2)] TimeSpan? Timeout);

/// <summary>Converts requests to devices. The body must be in memory.</summary>
[RegisterConverter]
internal sealed class RequestConverter : IConverter<CoapRequest, RequestSurrogate>
{
    /// <inheritdoc/>
    public CoapRequest ConvertFromSurrogate(in RequestSurrogate surrogate) =>
        new(MessageFormat.Serializer.Deserialize(surrogate.Message.Span))
        {
            Confirmable = surrogate.IsConfirmable,
            Timeout = surrogate.Timeout,
        };

    /// <inheritdoc/>
    public RequestSurrogate ConvertToSurrogate(in CoapRequest value) => DeviceRequestMessageFactory.IsWhole(value)
        ? new(MessageFormat.Serializer.Serialize(DeviceRequestMessageFactory.Of(value)), value.Confirmable, value.Timeout)
        : throw new NotSupportedException("The body of a request to a grain must be in memory. Use IDeviceGrain.ToDevice for streams.");
}
