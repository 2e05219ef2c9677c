using System.Buffers;
using System.Text.Json;
using CoAP.NET.Content.Cbor;

namespace CoAP.NET;

/// <summary>
/// CBOR as JSON and JSON as CBOR, for gateways between devices that speak one and services that speak the other (RFC 8949 section 6). The
/// bytes may come from strangers: depth and size are bounded, and what may be read in two ways is refused.
/// </summary>
/// <remarks>
/// CBOR becomes JSON by section 6.1: byte strings become base64url without padding, unless a tag (21 to 23) says otherwise; integers beyond
/// 64 bits become base64url, with <c>~</c> in front of negative ones; integers as keys become their digits; other tags are left out;
/// <c>undefined</c>, not-a-number and infinities become null. JSON becomes CBOR by section 6.2, in the preferred serialization: numbers
/// without a fraction become integers, and texts stay texts, also those that were byte strings once. Duplicate keys are refused in both
/// directions, also those that are equal only as JSON, such as 1 and "1".
/// </remarks>
public static class CoapCborJson
{
    /// <summary>How deep arrays, maps and tags may lie in each other.</summary>
    public const int MaxDepth = CborToJson.MaxDepth;

    private static readonly JsonDocumentOptions s_options = new() { AllowDuplicateProperties = false, MaxDepth = MaxDepth };

    private static readonly (CoapContentFormat Cbor, CoapContentFormat Json)[] s_twins =
    [
        (CoapContentFormat.Cbor, CoapContentFormat.Json),
        (CoapContentFormat.SenmlCbor, CoapContentFormat.SenmlJson),
        (CoapContentFormat.SensmlCbor, CoapContentFormat.SensmlJson),
    ];

    /// <summary>The Content-Format that means the same in the other encoding.</summary>
    /// <param name="format">
    /// <c>application/cbor</c> (60), <c>application/json</c> (50), or one of SenML (110 to 113). Other formats with CBOR in their name have
    /// labels of their own, which nobody but their specification can translate.
    /// </param>
    /// <returns>The Content-Format; null when there is none. Problem details (257) have a media type as counterpart, but no Content-Format:
    /// see <see cref="CoapProblem.ToJson"/>.</returns>
    public static CoapContentFormat? CounterpartOf(CoapContentFormat format)
    {
        foreach ((CoapContentFormat cbor, CoapContentFormat json) in s_twins)
        {
            if (format == cbor)
            {
                return json;
            }

            if (format == json)
            {
                return cbor;
            }
        }

        return null;
    }

    /// <summary>Converts a payload into the other encoding of its Content-Format.</summary>
    /// <param name="payload">The payload.</param>
    /// <param name="format">Its Content-Format, one that <see cref="CounterpartOf"/> knows. SenML is read and written as such, so that its
    /// labels become those of the other encoding; a record of a field that nobody knows loses that field.</param>
    /// <param name="maxSize">How many bytes the result may have.</param>
    /// <returns>The payload of the Content-Format that <see cref="CounterpartOf"/> says.</returns>
    /// <exception cref="CoapContentException">The payload is malformed (4.00), larger than it may be (4.13), or of a Content-Format without
    /// counterpart (4.15).</exception>
    public static byte[] Convert(ReadOnlySpan<byte> payload, CoapContentFormat format, int maxSize = int.MaxValue)
    {
        return format == CoapContentFormat.Cbor ? ToJson(payload, maxSize)
            : format == CoapContentFormat.Json ? ToCbor(payload, maxSize)
            : CounterpartOf(format) is null ? throw CoapContentException.Unsupported("a format of both CBOR and JSON", format)
            : Bounded(
                ConvertSenml(payload, isCbor: format == CoapContentFormat.SenmlCbor || format == CoapContentFormat.SensmlCbor), maxSize);
    }

    /// <summary>Converts one item of CBOR into JSON (RFC 8949 section 6.1).</summary>
    /// <param name="cbor">The item; nothing may follow it.</param>
    /// <param name="maxSize">How many bytes the JSON may have.</param>
    /// <returns>The JSON, in UTF-8.</returns>
    /// <exception cref="CoapContentException">It is malformed, nested too deep, or has a key twice (4.00); or the JSON is larger than it
    /// may be (4.13).</exception>
    public static byte[] ToJson(ReadOnlySpan<byte> cbor, int maxSize = int.MaxValue)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(maxSize);
        ArrayBufferWriter<byte> json = new();
        try
        {
            return CborToJson.TryConvertForOthers(cbor, json, maxSize, out ContentFault fault)
                ? Bounded(json.WrittenSpan.ToArray(), maxSize)
                : throw Malformed($"no CBOR that can be converted: {fault.Message} (offset {fault.Offset})");
        }
        catch (CborTooLargeException)
        {
            throw TooLarge(maxSize);
        }
    }

    /// <summary>Converts JSON into one item of CBOR (RFC 8949 section 6.2).</summary>
    /// <param name="json">The JSON, in UTF-8.</param>
    /// <param name="maxSize">How many bytes the CBOR may have.</param>
    /// <returns>The item, in the preferred serialization.</returns>
    /// <exception cref="CoapContentException">It is malformed, nested too deep, has a key twice, or a number beyond the range of a double
    /// (4.00); or the CBOR is larger than it may be (4.13).</exception>
    public static byte[] ToCbor(ReadOnlySpan<byte> json, int maxSize = int.MaxValue)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(maxSize);
        try
        {
            using JsonDocument document = JsonDocument.Parse(json.ToArray(), s_options);
            return Bounded(JsonToCbor.Convert(document.RootElement), maxSize);
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException or ArgumentException)
        {
            // Strings are decoded only when they are looked at; what is no Unicode is one of the other exceptions then.
            string why = exception is JsonException ? exception.Message : "a string is no Unicode";
            throw Malformed($"no JSON that can be converted: {why}", exception);
        }
    }

    // Links and paths of LwM2M pass: who receives the pack judges it.
    private static byte[] ConvertSenml(ReadOnlySpan<byte> payload, bool isCbor)
    {
        (CoapContentFormat from, CoapContentFormat to) = isCbor
            ? (CoapContentFormat.SenmlCbor, CoapContentFormat.SenmlJson)
            : (CoapContentFormat.SenmlJson, CoapContentFormat.SenmlCbor);
        return CoapSenmlPack.TryParse(payload, from, out CoapSenmlPack? pack, out CoapSenmlError error, profile: CoapSenmlProfile.Lwm2m)
            ? pack.ToBytes(to)
            : throw Malformed($"no SenML Pack: {error.Message} (offset {error.Offset})");
    }

    private static byte[] Bounded(byte[] bytes, int maxSize) => bytes.Length <= maxSize ? bytes : throw TooLarge(maxSize);

    private static CoapContentException Malformed(string what, Exception? cause = null) =>
        new(CoapCode.BadRequest, $"The payload is {what}.", innerException: cause);

    private static CoapContentException TooLarge(int maxSize) =>
        new(CoapCode.RequestEntityTooLarge, $"The payload has more than {maxSize} bytes after its conversion.");
}
