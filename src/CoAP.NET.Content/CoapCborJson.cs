using System.Buffers;
using System.Text.Json;
using CoAP.NET.Content.Cbor;

namespace CoAP.NET;

/// <summary>Converts between CBOR and JSON (RFC 8949 section 6), for gateways between devices and services.</summary>
/// <remarks>
/// The bytes may come from untrusted peers: depth and size are limited, and ambiguous input is refused.
/// CBOR becomes JSON by section 6.1. Byte strings become base64url without padding, unless a tag (21 to 23) says otherwise. Integers beyond
/// 64 bits become base64url, with <c>~</c> in front of negative ones. Integers as keys become their digits. Other tags are left out.
/// <c>undefined</c>, not-a-number and infinities become null.
/// JSON becomes CBOR by section 6.2, in the preferred serialization. Numbers without a fraction become integers. Texts stay texts, even
/// those that were byte strings before.
/// Duplicate keys are refused in both directions, including keys that are equal only as JSON, such as 1 and "1".
/// </remarks>
public static class CoapCborJson
{
    /// <summary>The maximum nesting depth of arrays, maps and tags.</summary>
    internal const int MaxDepth = CborToJson.MaxDepth;

    private static readonly JsonDocumentOptions s_options = new() { AllowDuplicateProperties = false, MaxDepth = MaxDepth };

    private static readonly (CoapContentFormat Cbor, CoapContentFormat Json)[] s_twins =
    [
        (CoapContentFormat.Cbor, CoapContentFormat.Json),
        (CoapContentFormat.SenmlCbor, CoapContentFormat.SenmlJson),
        (CoapContentFormat.SensmlCbor, CoapContentFormat.SensmlJson),
    ];

    /// <summary>Returns the equivalent Content-Format in the other encoding.</summary>
    /// <param name="format">
    /// <c>application/cbor</c> (60), <c>application/json</c> (50), or one of SenML (110 to 113). Other formats based on CBOR have labels of
    /// their own, which only their specification can translate.
    /// </param>
    /// <returns>
    /// The Content-Format; null when there is none. Problem details (257) have an equivalent media type, but no Content-Format: see
    /// <see cref="CoapProblem.ToJson"/>.
    /// </returns>
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
    /// <param name="format">
    /// Its Content-Format, one that <see cref="CounterpartOf"/> supports. SenML is converted as SenML, with the labels of the other
    /// encoding; unknown fields of a record are dropped.
    /// </param>
    /// <param name="maxSize">The maximum size of the result in bytes.</param>
    /// <returns>The payload in the Content-Format that <see cref="CounterpartOf"/> returns.</returns>
    /// <exception cref="CoapContentException">
    /// The payload is malformed (4.00), exceeds a limit (4.13), or has a Content-Format without an equivalent (4.15).
    /// </exception>
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
    /// <param name="maxSize">The maximum size of the JSON in bytes.</param>
    /// <returns>The JSON, in UTF-8.</returns>
    /// <exception cref="CoapContentException">
    /// The item is malformed, nested too deep, or has a duplicate key (4.00); or the JSON exceeds <paramref name="maxSize"/> (4.13).
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="maxSize"/> is 0 or less.</exception>
    public static byte[] ToJson(ReadOnlySpan<byte> cbor, int maxSize = int.MaxValue)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(maxSize);
        ArrayBufferWriter<byte> json = new();
        try
        {
            return CborToJson.TryConvertForOthers(cbor.ToArray(), json, maxSize, out ContentFault fault)
                ? Bounded(json.WrittenSpan.ToArray(), maxSize)
                : throw Malformed($"not convertible CBOR: {fault.Message} (offset {fault.Offset})");
        }
        catch (CborTooLargeException)
        {
            throw TooLarge(maxSize);
        }
    }

    /// <summary>Converts JSON into one item of CBOR (RFC 8949 section 6.2).</summary>
    /// <param name="json">The JSON, in UTF-8.</param>
    /// <param name="maxSize">The maximum size of the CBOR in bytes.</param>
    /// <returns>The item, in the preferred serialization.</returns>
    /// <exception cref="CoapContentException">
    /// The JSON is malformed, nested too deep, has a duplicate key, or a number beyond the range of a double (4.00); or the CBOR exceeds
    /// <paramref name="maxSize"/> (4.13).
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="maxSize"/> is 0 or less.</exception>
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
            // The reader decodes strings lazily; invalid Unicode then throws one of the other exceptions.
            string why = exception is JsonException ? exception.Message : "a string is not valid Unicode";
            throw Malformed($"not convertible JSON: {why}", exception);
        }
    }

    // Links and paths of LwM2M pass: the receiver of the pack validates them.
    private static byte[] ConvertSenml(ReadOnlySpan<byte> payload, bool isCbor)
    {
        (CoapContentFormat from, CoapContentFormat to) = isCbor
            ? (CoapContentFormat.SenmlCbor, CoapContentFormat.SenmlJson)
            : (CoapContentFormat.SenmlJson, CoapContentFormat.SenmlCbor);
        return CoapSenmlPack.TryParse(
            payload, from, out CoapSenmlPack? pack, out CoapContentSyntaxError error, profile: CoapSenmlProfile.Lwm2m)
            ? pack.ToBytes(to)
            : throw Malformed($"not a SenML Pack: {error.Message} (offset {error.Offset})");
    }

    private static byte[] Bounded(byte[] bytes, int maxSize) => bytes.Length <= maxSize ? bytes : throw TooLarge(maxSize);

    private static CoapContentException Malformed(string what, Exception? cause = null) =>
        new(CoapCode.BadRequest, $"The payload is {what}.", cause);

    private static CoapContentException TooLarge(int maxSize) =>
        new(CoapCode.RequestEntityTooLarge, $"The payload has more than {maxSize} bytes after its conversion.");
}
