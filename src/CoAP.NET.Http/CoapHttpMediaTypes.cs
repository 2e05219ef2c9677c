using System.Globalization;
using System.Net.Http.Headers;

namespace CoAP.NET.Http;

/// <summary>Maps media types and content codings of HTTP to Content-Formats of CoAP and back (RFC 8075 section 6).</summary>
/// <remarks>Change it before the first request only: changes are not thread-safe.</remarks>
internal sealed class CoapHttpMediaTypes
{
    /// <summary>
    /// The media type for Content-Formats that have none of their own: <c>application/coap-payload</c> (RFC 8075 section 6.2).
    /// </summary>
    public const string CoapPayload = "application/coap-payload";

    private readonly Dictionary<CoapContentFormat, (string MediaType, string? Coding)> _added = [];

    /// <summary>
    /// Whether to replace a media type without a Content-Format with a more general one (RFC 8075 section 6.3). Default false because a
    /// server might misinterpret the payload.
    /// </summary>
    public bool Loose { get; set; }

    /// <summary>The rules of loose mapping; the first match wins. Default: the table of RFC 8075 section 6.3.</summary>
    public IList<CoapHttpLooseMediaTypeMapping> LooseRules { get; } =
    [
        new("application/*+xml", "application/xml"),
        new("application/*+json", "application/json"),
        new("application/*+cbor", "application/cbor"),
        new("text/xml", "application/xml"),
        new("text/*", "text/plain"),
        new("*/*", "application/octet-stream"),
    ];

    /// <summary>
    /// Whether requests may name a Content-Format by number, as <c>application/coap-payload;cf=N</c>. Default false: they get 415 (RFC 8075
    /// section 6.2).
    /// </summary>
    public bool PassCoapPayload { get; set; }

    /// <summary>Whether UTF-8 is implied. Default true because HTTP libraries write both forms.</summary>
    /// <remarks>
    /// With true <c>text/plain</c> means <c>text/plain;charset=utf-8</c>, and <c>charset=utf-8</c> is ignored for a media type that CoAP
    /// registers without a charset, such as <c>application/json</c>. Other charsets are never mapped.
    /// </remarks>
    public bool ImplyUtf8 { get; set; } = true;

    /// <summary>Adds a Content-Format that the registry of this library lacks, or replaces its media type.</summary>
    /// <param name="format">The Content-Format.</param>
    /// <param name="mediaType">The media type with its parameters.</param>
    /// <param name="contentCoding">The content coding; null for none.</param>
    /// <exception cref="FormatException">The media type is not valid.</exception>
    public void Add(CoapContentFormat format, string mediaType, string? contentCoding = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(mediaType);
        _ = MediaTypeHeaderValue.Parse(mediaType);
        _added[format] = (mediaType, contentCoding);
    }

    /// <summary>Returns the media type and content coding of a Content-Format.</summary>
    /// <param name="format">The Content-Format.</param>
    /// <param name="contentCoding">The content coding; null for none.</param>
    /// <returns>The media type; <c>application/coap-payload;cf=N</c> for an unknown Content-Format.</returns>
    public string MediaTypeOf(CoapContentFormat format, out string? contentCoding)
    {
        if (_added.TryGetValue(format, out (string MediaType, string? Coding) added))
        {
            contentCoding = added.Coding;
            return added.MediaType;
        }

        contentCoding = format.ContentCoding;
        return format.MediaType ?? string.Create(CultureInfo.InvariantCulture, $"{CoapPayload};cf={format.Value}");
    }

    /// <summary>Adds media type and content coding to a body that has no Content-Type yet.</summary>
    /// <param name="body">The body.</param>
    /// <param name="format">The Content-Format; null adds nothing.</param>
    public void AddType(HttpContent body, CoapContentFormat? format)
    {
        if (format is not { } known || body.Headers.Contains("Content-Type"))
        {
            return;
        }

        body.Headers.TryAddWithoutValidation("Content-Type", MediaTypeOf(known, out string? coding));
        if (coding is not null)
        {
            body.Headers.ContentEncoding.Add(coding);
        }
    }

    /// <summary>Finds the Content-Format for a media type and a content coding.</summary>
    /// <param name="mediaType">The media type with its parameters.</param>
    /// <param name="contentCoding">The content coding; null or <c>identity</c> for none.</param>
    /// <param name="format">The Content-Format.</param>
    /// <returns>Whether there is one, in the strict table or, with <see cref="Loose"/>, in the loose one.</returns>
    public bool TryGetContentFormat(string? mediaType, string? contentCoding, out CoapContentFormat format)
    {
        format = default;
        if (mediaType is null || !MediaTypeHeaderValue.TryParse(mediaType, out MediaTypeHeaderValue? value) || value.MediaType is null)
        {
            return false;
        }

        string? coding = string.IsNullOrEmpty(contentCoding) || contentCoding.Equals("identity", StringComparison.OrdinalIgnoreCase)
            ? null
            : contentCoding;
        if (value.MediaType.Equals(CoapPayload, StringComparison.OrdinalIgnoreCase))
        {
            return PassCoapPayload && coding is null && TryReadNumber(value, out format);
        }

        if (TryExact(value, coding, out format))
        {
            return true;
        }

        // Generalized once and looked up again; a charset other than UTF-8 would be lost.
        return Loose
            && !HasOtherCharset(value)
            && LooseRules.FirstOrDefault(rule => rule.Matches(value.MediaType)) is { } rule
            && TryExact(MediaTypeHeaderValue.Parse(rule.MediaType), coding, out format);
    }

    private static bool TryReadNumber(MediaTypeHeaderValue value, out CoapContentFormat format)
    {
        string? number = value.Parameters.FirstOrDefault(static parameter =>
            parameter.Name.Equals("cf", StringComparison.OrdinalIgnoreCase))?.Value;
        bool isNumber = ushort.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out ushort parsed);
        format = new CoapContentFormat(parsed);
        return isNumber;
    }

    private static bool IsUtf8(NameValueHeaderValue parameter) =>
        parameter.Name.Equals("charset", StringComparison.OrdinalIgnoreCase)
        && parameter.Value is { } charset
        && charset.Trim('"').Equals("utf-8", StringComparison.OrdinalIgnoreCase);

    private static bool HasOtherCharset(MediaTypeHeaderValue value) => value.CharSet is not null && !value.Parameters.Any(IsUtf8);

    private bool TryExact(MediaTypeHeaderValue value, string? coding, out CoapContentFormat format)
    {
        if (TryRegistered(value.ToString(), coding, out format))
        {
            return true;
        }

        if (!ImplyUtf8)
        {
            return false;
        }

        MediaTypeHeaderValue other = MediaTypeHeaderValue.Parse(value.ToString());
        if (other.Parameters.FirstOrDefault(IsUtf8) is { } charset)
        {
            other.Parameters.Remove(charset);
        }
        else if (other.CharSet is null && other.MediaType!.StartsWith("text/", StringComparison.OrdinalIgnoreCase))
        {
            other.CharSet = "utf-8";
        }
        else
        {
            return false;
        }

        return TryRegistered(other.ToString(), coding, out format);
    }

    private bool TryRegistered(string mediaType, string? coding, out CoapContentFormat format)
    {
        foreach ((CoapContentFormat number, (string added, string? addedCoding)) in _added)
        {
            if (string.Equals(coding, addedCoding, StringComparison.OrdinalIgnoreCase)
                && MediaTypeHeaderValue.Parse(added).Equals(MediaTypeHeaderValue.Parse(mediaType)))
            {
                format = number;
                return true;
            }
        }

        return CoapContentFormat.TryFromMediaType(mediaType, out format, coding) && !_added.ContainsKey(format);
    }
}
