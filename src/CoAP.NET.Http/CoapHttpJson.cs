using System.Diagnostics.CodeAnalysis;
using System.Net.Http.Headers;

namespace CoAP.NET.Http;

/// <summary>
/// Whether CBOR of CoAP is JSON in HTTP, for devices that speak one and services or clients that speak the other (RFC 8075 section 6.4, RFC
/// 8949 section 6). Change it before the first request: it is not thread-safe while it is changed.
/// </summary>
/// <remarks>
/// Payloads are converted by <see cref="CoapCborJson"/>, which bounds depth and size and refuses duplicate keys, and problem details by RFC
/// 9290 appendix B. A request that cannot be converted is answered 4.00 or 400, and 4.13 or 413 when it is too large; a response that
/// cannot, 5.02 or 502. Accept is translated as well, and who asks for what the other side has gets it unchanged.
/// </remarks>
public sealed class CoapHttpJson
{
    /// <summary>Whether payloads are converted. Default false: they pass as they are.</summary>
    public bool Converts { get; set; }

    /// <summary>
    /// The media types of JSON that Content-Formats of CBOR have in HTTP. Default: <c>application/cbor</c> (60) is <c>application/json</c>,
    /// SenML (112, 113) that of JSON, and concise problem details (257) are <c>application/problem+json</c>. A format of your own that is
    /// added is converted item by item, as <c>application/cbor</c> is, so its keys should be texts.
    /// </summary>
    public IDictionary<CoapContentFormat, string> MediaTypes { get; } = new Dictionary<CoapContentFormat, string>
    {
        [CoapContentFormat.Cbor] = "application/json",
        [CoapContentFormat.SenmlCbor] = "application/senml+json",
        [CoapContentFormat.SensmlCbor] = "application/sensml+json",
        [CoapContentFormat.ConciseProblemDetails] = "application/problem+json",
    };

    /// <summary>How many bytes a payload may have before and after its conversion, as it is held as a whole. 1 or more; default 1
    /// MiB.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxSize
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            field = value;
        }
    } = 1024 * 1024;

    /// <summary>Converts a payload of CBOR into JSON, where <see cref="Converts"/> and <see cref="MediaTypes"/> say so.</summary>
    /// <param name="payload">The payload.</param>
    /// <param name="format">Its Content-Format.</param>
    /// <param name="json">The JSON, in UTF-8; null where it stays what it is.</param>
    /// <returns>Whether it is converted.</returns>
    /// <exception cref="CoapContentException">It has to be converted and cannot, or is larger than <see cref="MaxSize"/>.</exception>
    public bool TryToJson(ReadOnlyMemory<byte> payload, CoapContentFormat format, [NotNullWhen(true)] out byte[]? json)
    {
        json = null;
        if (MediaTypeOf(format) is null)
        {
            return false;
        }

        json = payload.Length <= MaxSize
            ? ToJson(payload, format)
            : throw new CoapContentException(CoapCode.RequestEntityTooLarge, $"It has more than {MaxSize} bytes.");
        return true;
    }

    /// <summary>The media type that a format of CBOR has in HTTP; null when it is not converted.</summary>
    internal string? MediaTypeOf(CoapContentFormat? format) =>
        Converts && format is { } known && MediaTypes.TryGetValue(known, out string? mediaType) ? mediaType : null;

    /// <summary>The format of CBOR that a media type of JSON is in CoAP; null when it is not converted.</summary>
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
    /// <exception cref="CoapContentException">It cannot be converted.</exception>
    internal byte[] ToJson(ReadOnlyMemory<byte> cbor, CoapContentFormat format, int? status = null) =>
        format == CoapContentFormat.ConciseProblemDetails ? Bounded(ToProblem(cbor, status))
        : CoapCborJson.CounterpartOf(format) is null ? CoapCborJson.ToJson(cbor.Span, MaxSize)
        : CoapCborJson.Convert(cbor.Span, format, MaxSize);

    /// <summary>Converts a payload into a format of <see cref="MediaTypes"/>.</summary>
    /// <exception cref="CoapContentException">It cannot be converted.</exception>
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
            : throw new CoapContentException(CoapCode.BadRequest, $"The payload is no problem details: {error}.");

    private byte[] Bounded(byte[] converted) => converted.Length <= MaxSize
        ? converted
        : throw new CoapContentException(
            CoapCode.RequestEntityTooLarge, $"The payload has more than {MaxSize} bytes after its conversion.");
}
