using System.Text.Json.Serialization.Metadata;

namespace CoAP.NET.Binding;

/// <summary>Converts bodies and results of handlers from and to CBOR. The package CoAP.NET.Content has it.</summary>
internal abstract class HandlerCborSerializer
{
    /// <summary>Reads the payload of a request.</summary>
    /// <exception cref="CoapContentException">The payload is malformed.</exception>
    public abstract T? Read<T>(CoapRequestContext request, JsonTypeInfo<T> info);

    public abstract CoapContent Write<T>(T value, JsonTypeInfo<T> info);
}
