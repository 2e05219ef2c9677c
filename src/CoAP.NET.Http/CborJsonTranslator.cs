using System.Diagnostics.CodeAnalysis;
using System.Net.Http.Headers;

namespace CoAP.NET.Http;

/// <summary>
/// Converts between CBOR in CoAP and JSON in HTTP, for devices that use one and services or clients that use the other (RFC 8075 section
/// 6.4, RFC 8949 section 6).
/// </summary>
/// <remarks>Users set it by <see cref="CoapHttpTranslator.ConvertsJson"/> and its neighbours.</remarks>
internal sealed class CborJsonTranslator
{
    /// <summary>Whether to convert payloads. Default false: they pass unchanged.</summary>
    public bool Converts { get; set; }

    /// <summary>The JSON media types for Content-Formats of CBOR.</summary>
    /// <remarks>
    /// Default: <c>application/cbor</c> (60) becomes <c>application/json</c>, SenML (112, 113) its JSON variant, and concise problem
    /// details (257) <c>application/problem+json</c>. A custom format is converted item by item like <c>application/cbor</c>; its keys
    /// should be texts.
    /// </remarks>
    public IDictionary<CoapContentFormat, string> MediaTypes { get; } = new Dictionary<CoapContentFormat, string>
    {
        [CoapContentFormat.Cbor] = "application/json",
        [CoapContentFormat.SenmlCbor] = "application/senml+json",
        [CoapContentFormat.SensmlCbor] = "application/sensml+json",
        [CoapContentFormat.ConciseProblemDetails] = "application/problem+json",
    };

    /// <summary>The largest payload, in bytes, before and after its conversion, 1 or more. Default 1 MiB.</summary>
    /// <remarks>The conversion holds the whole payload in memory.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is below 1.</exception>
    public int MaxSize
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            field = value;
        }
    } = 1024 * 1024;

    /// <summary>Converts a CBOR payload into JSON, if <see cref="Converts"/> and <see cref="MediaTypes"/> require it.</summary>
    /// <param name="payload">The payload.</param>
    /// <param name="format">Its Content-Format.</param>
    /// <param name="json">The JSON, in UTF-8; null if the payload stays unchanged.</param>
    /// <returns>Whether the payload was converted.</returns>
    /// <exception cref="CoapContentException">The payload is not convertible, or is larger than <see cref="MaxSize"/>.</exception>
    public bool TryToJson(ReadOnlyMemory<byte> payload, CoapContentFormat format, [NotNullWhen(true)] out byte[]? json)
    {
        json = null;
        if (MediaTypeOf(format) is null)
        {
            return false;
        }

        json = payload.Length <= MaxSize
            ? ToJson(payload, format)
            : throw new CoapContentException(CoapCode.RequestEntityTooLarge, $"The payload has more than {MaxSize} bytes.");
        return true;
    }

    /// <summary>The HTTP media type of a CBOR format; null if it is not converted.</summary>
    internal string? MediaTypeOf(CoapContentFormat? format) =>
        Converts && format is { } known && MediaTypes.TryGetValue(known, out string? mediaType) ? mediaType : null;

    /// <summary>The CBOR format for a JSON media type; null if it is not converted.</summary>
    internal CoapContentFormat? FormatOf(string? contentType)
    {
        if (!Converts || !MediaTypeHeaderValue.TryParse(contentType, out MediaTypeHeaderValue? value)
            || (value.CharSet is { } charset && !charset.Trim('"').Equals("utf-8", StringComparison.OrdinalIgnoreCase)))
        {
            return null;
        }

        foreach ((CoapContentFormat format, string mediaType) in MediaTypes)
        {
            if (mediaType.Equals(value.MediaType, StringComparison.OrdinalIgnoreCase))
            {
                return format;
            }
        }

        return null;
    }

    /// <summary>Converts a payload of a format of <see cref="MediaTypes"/>.</summary>
    /// <exception cref="CoapContentException">The payload is not convertible.</exception>
    internal byte[] ToJson(ReadOnlyMemory<byte> cbor, CoapContentFormat format, int? status = null) =>
        format == CoapContentFormat.ConciseProblemDetails ? Bounded(ToProblem(cbor, status))
        : CoapCborJson.CounterpartOf(format) is null ? CoapCborJson.ToJson(cbor.Span, MaxSize)
        : CoapCborJson.Convert(cbor.Span, format, MaxSize);

    /// <summary>Converts a payload into a format of <see cref="MediaTypes"/>.</summary>
    /// <exception cref="CoapContentException">The payload is not convertible.</exception>
    internal byte[] ToCbor(ReadOnlyMemory<byte> json, CoapContentFormat format) =>
        format == CoapContentFormat.ConciseProblemDetails ? Bounded(CoapProblem.FromJson(json.Span) is var problem && IsEmpty(problem)
            ? [0xa0] : problem.ToBytes())
        : CoapCborJson.CounterpartOf(format) is { } counterpart ? CoapCborJson.Convert(json.Span, counterpart, MaxSize)
        : CoapCborJson.ToCbor(json.Span, MaxSize);

    private static bool IsEmpty(CoapProblem problem) =>
        problem is { Title: null, Detail: null, Instance: null } && problem.Entries.Count == 0;

    private static byte[] ToProblem(ReadOnlyMemory<byte> cbor, int? status) =>
        CoapProblem.TryParse(cbor.Span, out CoapProblem? problem, out string? error)
            ? problem.ToJson(status)
            : throw new CoapContentException(CoapCode.BadRequest, $"The payload is not a problem details document: {error}.");

    private byte[] Bounded(byte[] converted) => converted.Length <= MaxSize
        ? converted
        : throw new CoapContentException(
            CoapCode.RequestEntityTooLarge, $"The payload has more than {MaxSize} bytes after its conversion.");
}
