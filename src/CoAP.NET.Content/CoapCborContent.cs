using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Content;
using CoAP.NET.Content.Cbor;

namespace CoAP.NET;

/// <summary>Creates contents in CBOR (RFC 8949): <c>CoapContent.Cbor</c>.</summary>
public static class CoapCborContent
{
    extension(CoapContent)
    {
        /// <summary>Encodes a value as CBOR (RFC 8949) with source-generated metadata, for trimming and AOT.</summary>
        /// <remarks>
        /// The encoding has what System.Text.Json would write, with the names of the properties, in the preferred serialization.
        /// <c>byte[]</c> becomes base64 text, as in JSON. A <c>decimal</c> with a fraction becomes the nearest double.
        /// </remarks>
        /// <typeparam name="T">The type of the value.</typeparam>
        /// <param name="value">The value.</param>
        /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
        /// <returns>The content with Content-Format <c>application/cbor</c>.</returns>
        /// <exception cref="JsonException">The value is nested more than 64 deep, or has a number beyond the range of a double.</exception>
        public static CoapContent Cbor<T>(T value, JsonTypeInfo<T> typeInfo) =>
            new(JsonToCbor.Convert(JsonSerializer.SerializeToElement(value, typeInfo)), CoapContentFormat.Cbor);

        /// <summary>Encodes a value as CBOR (RFC 8949) with reflection; otherwise like the overload with metadata.</summary>
        /// <typeparam name="T">The type of the value.</typeparam>
        /// <param name="value">The value.</param>
        /// <param name="options">The serializer options; null for <see cref="JsonSerializerOptions.Web"/>.</param>
        /// <returns>The content with Content-Format <c>application/cbor</c>.</returns>
        /// <exception cref="JsonException">The value is nested more than 64 deep, or has a number beyond the range of a double.</exception>
        [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
        [RequiresDynamicCode(JsonMetadata.Untrimmed)]
        public static CoapContent Cbor<T>(T value, JsonSerializerOptions? options = null) =>
            CoapContent.Cbor(value, JsonMetadata.Of<T>(options));
    }
}
