using System.ComponentModel;
using System.Text.Json.Serialization.Metadata;

namespace CoAP.NET.Binding;

/// <summary>Adds CBOR to the formats of bound handlers. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class CoapCborHandlerBinding
{
    /// <summary>Lets a handler take bodies and return results in CBOR (RFC 8949).</summary>
    /// <param name="route">What the handler needs.</param>
    public static void AddCbor(CoapHandlerBinding route)
    {
        ArgumentNullException.ThrowIfNull(route);
        route.Cbor = Conversion.Instance;
    }

    private sealed class Conversion : HandlerCborSerializer
    {
        public static Conversion Instance { get; } = new();

        public override T? Read<T>(CoapRequestContext request, JsonTypeInfo<T> info)
            where T : default => request.ReadCbor(info);

        public override CoapContent Write<T>(T value, JsonTypeInfo<T> info) => CoapContent.Cbor(value, info);
    }
}
