using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Content;
using CoAP.NET.Content.Cbor;

namespace CoAP.NET;

/// <summary>Makes contents of values in CBOR (RFC 8949): <c>CoapContent.Cbor</c>.</summary>
public static class CoapCborContent
{
    extension(CoapContent)
    {
        /// <summary>
        /// A value as CBOR (RFC 8949): what System.Text.Json would write, with the names of its properties, in the preferred serialization.
        /// By source-generated metadata, so that trimming and AOT work. <c>byte[]</c> becomes base64 text, as in JSON, and a <c>decimal</c>
        /// with a fraction the nearest double.
        /// </summary>
        /// <typeparam name="T">The type of the value.</typeparam>
        /// <param name="value">The value.</param>
        /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
        /// <returns>The content with Content-Format <c>application/cbor</c>.</returns>
        /// <exception cref="JsonException">The value is nested more than 64 deep, or has a number beyond the range of a double.</exception>
        public static CoapContent Cbor<T>(T value, JsonTypeInfo<T> typeInfo) =>
            new(JsonToCbor.Convert(JsonSerializer.SerializeToElement(value, typeInfo)), CoapContentFormat.Cbor);

        /// <summary>A value as CBOR (RFC 8949), by reflection; otherwise as with metadata.</summary>
        /// <typeparam name="T">The type of the value.</typeparam>
        /// <param name="value">The value.</param>
        /// <param name="options">How values are written; null for <see cref="JsonSerializerOptions.Web"/>.</param>
        /// <returns>The content with Content-Format <c>application/cbor</c>.</returns>
        /// <exception cref="JsonException">The value is nested more than 64 deep, or has a number beyond the range of a double.</exception>
        [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
        [RequiresDynamicCode(JsonMetadata.Untrimmed)]
        public static CoapContent Cbor<T>(T value, JsonSerializerOptions? options = null) =>
            CoapContent.Cbor(value, JsonMetadata.Of<T>(options));
    }
}
