namespace CoAP.NET.Orleans.Messages;

/// <summary>A <see cref="CoapResponse"/> of a device, between silos.</summary>
/// <param name="Message">The message, in the format of RFC 7252.</param>
[GenerateSerializer, Immutable, Alias("coap.response")]
internal readonly record struct ResponseSurrogate([property: Id(0)] ReadOnlyMemory<byte> Message);

/// <summary>Converts responses of devices.</summary>
[RegisterConverter]
internal sealed class ResponseConverter : IConverter<CoapResponse, ResponseSurrogate>
{
    /// <inheritdoc/>
    public CoapResponse ConvertFromSurrogate(in ResponseSurrogate surrogate) =>
        CoapResponse.FromMessage(MessageFormat.Serializer.Deserialize(surrogate.Message.Span));

    /// <inheritdoc/>
    public ResponseSurrogate ConvertToSurrogate(in CoapResponse value) =>

        // A device that need not respond, and did not, has no message.
        new(MessageFormat.Serializer.Serialize(value.IsNone ? new CoapMessage(CoapCode.Changed) : value.Message));
}
