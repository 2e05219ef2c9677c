using System.Text.Json.Serialization.Metadata;

namespace CoAP.NET;

// Values in CBOR.
public static partial class CoapResults
{
    /// <summary>2.05 Content with a value as CBOR (RFC 8949), by source-generated metadata, so that trimming and AOT work; see
    /// <see cref="CoapContent.Cbor{T}(T, JsonTypeInfo{T})"/>.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="value">The value.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <returns>The result.</returns>
    public static CoapResult Cbor<T>(T value, JsonTypeInfo<T> typeInfo) => Content(CoapContent.Cbor(value, typeInfo));
}
