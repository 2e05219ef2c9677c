using System.Globalization;
using CoAP.NET.Messages;

namespace CoAP.NET;

/// <summary>A Content-Format: the number of an Internet media type with a content coding (RFC 7252 section 12.3).</summary>
/// <remarks>Any number is valid; the known ones are static members. 0 is a valid format: use a nullable for "not set".</remarks>
/// <param name="Value">The number, 0 to 65,535.</param>
public readonly partial record struct CoapContentFormat(ushort Value)
{
    /// <summary>The registered media type with its parameters; null for an unknown number.</summary>
    public string? MediaType => ContentFormatRegistry.Find(Value)?.MediaType;

    /// <summary>The registered content coding, such as <c>deflate</c>; null for none, and for an unknown number.</summary>
    public string? ContentCoding => ContentFormatRegistry.Find(Value)?.Coding;

    /// <summary>
    /// Whether the format is plain JSON: <c>application/json</c> or a media type that ends in <c>+json</c>, without a content coding.
    /// </summary>
    public bool IsJson => ContentFormatRegistry.Find(Value) is { Coding: null } entry
        && (entry.MediaType == "application/json" || entry.MediaType.EndsWith("+json", StringComparison.Ordinal));

    /// <summary>
    /// Whether the format is one plain CBOR item: <c>application/cbor</c> or a media type that ends in <c>+cbor</c>, without a content
    /// coding.
    /// </summary>
    public bool IsCbor => ContentFormatRegistry.Find(Value) is { Coding: null } entry
        && (entry.MediaType == "application/cbor" || entry.MediaType.EndsWith("+cbor", StringComparison.Ordinal));

    /// <summary>The Content-Formats of the IANA registry that this library knows, in numerical order.</summary>
    public static IReadOnlyList<CoapContentFormat> Registered => ContentFormatRegistry.Formats;

    /// <summary>Creates a Content-Format from any number.</summary>
    /// <param name="value">The number.</param>
    public static explicit operator CoapContentFormat(int value) => FromInt32(value);

    /// <summary>Creates a Content-Format from any number.</summary>
    /// <param name="value">The number, 0 to 65,535.</param>
    /// <returns>The Content-Format.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The number is out of range.</exception>
    public static CoapContentFormat FromInt32(int value)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(value);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, ushort.MaxValue);
        return new CoapContentFormat((ushort)value);
    }

    /// <summary>Finds the number of a media type.</summary>
    /// <remarks>
    /// It ignores case, white space, quotes and the order of parameters, but not the parameters themselves: <c>text/plain</c> without its
    /// charset is not 0.
    /// </remarks>
    /// <param name="mediaType">The media type with its parameters, such as <c>text/plain; charset=UTF-8</c>.</param>
    /// <param name="format">The Content-Format.</param>
    /// <param name="contentCoding">The content coding, such as <c>deflate</c>; null or <c>identity</c> for none.</param>
    /// <returns>Whether the registry of this library has a number for both.</returns>
    public static bool TryFromMediaType(string? mediaType, out CoapContentFormat format, string? contentCoding = null)
    {
        string? coding = contentCoding is null || contentCoding.Equals("identity", StringComparison.OrdinalIgnoreCase)
            ? null
            : UriText.ToLowerAscii(contentCoding);
        ContentFormatRegistry.Entry? entry = mediaType is null ? null : ContentFormatRegistry.Find(mediaType, coding);
        format = new CoapContentFormat(entry?.Number ?? 0);
        return entry is not null;
    }

    /// <summary>Returns the media type if it is known, otherwise the number.</summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        ContentCoding is { } coding ? $"{MediaType} ({coding})" : MediaType ?? Value.ToString(CultureInfo.InvariantCulture);
}
