using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace CoAP.NET;

/// <summary>Creates handler results in CBOR (RFC 8949): <c>CoapResults.Cbor</c>.</summary>
public static class CoapCborResults
{
    extension(CoapResults)
    {
        /// <summary>Creates a 2.05 Content with a value as CBOR (RFC 8949), with source-generated metadata, for trimming and AOT.</summary>
        /// <remarks>The value is written as by <c>CoapContent.Cbor</c>.</remarks>
        /// <typeparam name="T">The type of the value.</typeparam>
        /// <param name="value">The value.</param>
        /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
        /// <returns>The result.</returns>
        /// <exception cref="JsonException">The value is nested more than 64 deep, or has a number beyond the range of a double.</exception>
        public static CoapResult Cbor<T>(T value, JsonTypeInfo<T> typeInfo) => CoapResults.Content(CoapContent.Cbor(value, typeInfo));
    }
}
