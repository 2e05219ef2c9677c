using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Content;

namespace CoAP.NET;

/// <summary>Creates results with CBOR and concise problem details (RFC 9290).</summary>
public static class CoapResultsExtensions
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

        /// <summary>Creates a 2.05 Content with a value as CBOR (RFC 8949), with reflection.</summary>
        /// <typeparam name="T">The type of the value.</typeparam>
        /// <param name="value">The value.</param>
        /// <param name="options">The serializer options; null for <see cref="JsonSerializerOptions.Web"/>.</param>
        /// <returns>The result.</returns>
        /// <exception cref="JsonException">The value is nested more than 64 deep, or has a number beyond the range of a double.</exception>
        [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
        [RequiresDynamicCode(JsonMetadata.Untrimmed)]
        public static CoapResult Cbor<T>(T value, JsonSerializerOptions? options = null) =>
            CoapResults.Content(CoapContent.Cbor(value, options));

        /// <summary>Creates an error response with concise problem details (RFC 9290).</summary>
        /// <remarks>
        /// It ignores a different Accept option of the client: the details are small, and their Content-Format identifies them.
        /// </remarks>
        /// <param name="code">The code, of class 4 or 5.</param>
        /// <param name="problem">The problem details.</param>
        /// <returns>The result.</returns>
        /// <exception cref="ArgumentException">The code is not an error code, or differs from that in the problem details.</exception>
        /// <exception cref="InvalidOperationException">The problem cannot be encoded; see <see cref="CoapProblem.ToBytes"/>.</exception>
        public static CoapResult Problem(CoapCode code, CoapProblem problem)
        {
            ArgumentNullException.ThrowIfNull(problem);
            if (!code.IsError)
            {
                throw new ArgumentException($"{code} is not an error code. Use a code of class 4 or 5.", nameof(code));
            }

            if (problem.ResponseCode is { } named && named != code)
            {
                throw new ArgumentException(
                    $"The problem names the response code {named}, but the response has {code}; both must be the same (RFC 9290 "
                        + "section 2).",
                    nameof(problem));
            }

            return new CoapResult(code, problem.ToBytes(), CoapContentFormat.ConciseProblemDetails);
        }

        /// <summary>Creates an error response with concise problem details (RFC 9290).</summary>
        /// <param name="code">The code, of class 4 or 5.</param>
        /// <param name="title">A summary of the type of the problem.</param>
        /// <param name="detail">The details of this occurrence; null for none.</param>
        /// <returns>The result.</returns>
        /// <exception cref="ArgumentException">The code is not an error code.</exception>
        public static CoapResult Problem(CoapCode code, string title, string? detail = null)
        {
            ArgumentNullException.ThrowIfNull(title);
            return CoapResults.Problem(code, new CoapProblem { Title = title, Detail = detail });
        }
    }
}
