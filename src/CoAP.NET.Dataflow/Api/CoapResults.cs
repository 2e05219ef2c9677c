using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Options;

namespace CoAP.NET;

/// <summary>Creates the results that handlers return (RFC 7252 section 5.9).</summary>
/// <remarks>
/// Each call creates a new result that <c>With...</c> methods may refine. A shared result costs nothing, but must not change any more. The
/// package CoAP.NET.Content adds <c>CoapResults.Cbor</c> and <c>CoapResults.Problem</c>.
/// </remarks>
public static partial class CoapResults
{
    /// <summary>2.05 Content with text in UTF-8.</summary>
    /// <param name="text">The text.</param>
    /// <param name="format">The Content-Format; default <c>text/plain;charset=utf-8</c>.</param>
    /// <returns>The result.</returns>
    public static CoapResult Text(string text, CoapContentFormat? format = null) => Content(CoapContent.Text(text, format));

    /// <summary>2.05 Content with a value as JSON, with source-generated metadata for trimming and AOT.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="value">The value.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <returns>The result.</returns>
    public static CoapResult Json<T>(T value, JsonTypeInfo<T> typeInfo) => Content(CoapContent.Json(value, typeInfo));

    /// <summary>2.05 Content with bytes.</summary>
    /// <param name="bytes">The bytes; not copied.</param>
    /// <param name="format">The Content-Format; default <c>application/octet-stream</c>.</param>
    /// <returns>The result.</returns>
    public static CoapResult Bytes(ReadOnlyMemory<byte> bytes, CoapContentFormat? format = null) =>
        Content(CoapContent.Binary(bytes, format));

    /// <summary>2.05 Content (RFC 7252 section 5.9.1.5).</summary>
    /// <param name="content">The representation.</param>
    /// <returns>The result.</returns>
    public static CoapResult Content(CoapContent content)
    {
        ArgumentNullException.ThrowIfNull(content);
        return new CoapResult(CoapCode.Content, content.Bytes, content.Format);
    }

    /// <summary>2.01 Created: the new resource is at the request URI, as after PUT (RFC 7252 section 5.9.1.1).</summary>
    /// <returns>The result.</returns>
    public static CoapResult Created() => new(CoapCode.Created);

    /// <summary>2.01 Created: the new resource is at another location, as after POST (RFC 7252 section 5.9.1.1).</summary>
    /// <param name="location">The location, as a relative reference in URI form, such as <c>/devices/7?x=1</c>.</param>
    /// <returns>The result.</returns>
    /// <exception cref="ArgumentException">The location does not fit into options; see <see cref="CoapResult.WithLocation"/>.</exception>
    public static CoapResult Created(string location) => Created().WithLocation(location);

    /// <summary>2.02 Deleted; also if there was nothing to delete (RFC 7252 section 5.8.4).</summary>
    /// <returns>The result.</returns>
    public static CoapResult Deleted() => new(CoapCode.Deleted);

    /// <summary>2.04 Changed (RFC 7252 section 5.9.1.4).</summary>
    /// <param name="content">A representation of the result; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult Changed(CoapContent? content = null) => new(CoapCode.Changed, content?.Bytes ?? default, content?.Format);

    /// <summary>2.03 Valid: the representation of the client is still valid (RFC 7252 section 5.9.1.3).</summary>
    /// <param name="etag">The entity-tag that matched.</param>
    /// <returns>The result.</returns>
    public static CoapResult Valid(CoapETag etag) => new CoapResult(CoapCode.Valid).WithETag(etag);

    /// <summary>
    /// 2.03 Valid if a GET or FETCH names the entity-tag, otherwise the result of the function, with the entity-tag added (RFC 7252 section
    /// 5.10.6, RFC 8132 section 2.1).
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="etag">The entity-tag of the current representation.</param>
    /// <param name="result">Creates the response with the representation; called only if necessary.</param>
    /// <returns>The result.</returns>
    public static CoapResult ValidOr(CoapRequest request, CoapETag etag, Func<CoapResult> result)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(result);
        if (request.Code.IsSafe && request.IsMatch(etag))
        {
            return Valid(etag);
        }

        // The function may return the same result for many requests, so do not change it here.
        CoapResult full = result();
        return !full.Code.IsSuccess || full.Options.Contains(OptionNumber.ETag) ? full : full.Copy().WithETag(etag);
    }

    /// <summary>Creates a result with any response code.</summary>
    /// <param name="code">The code, in class 2, 4 or 5.</param>
    /// <param name="diagnostic">For an error, a human-readable text, sent without a Content-Format (RFC 7252 section 5.5.2); null for
    /// none.</param>
    /// <returns>The result.</returns>
    /// <exception cref="ArgumentException">The code is not a response code, or a success with a diagnostic text.</exception>
    public static CoapResult Status(CoapCode code, string? diagnostic = null)
    {
        if (diagnostic is not null && !code.IsError)
        {
            throw new ArgumentException("Only error responses carry a diagnostic text (RFC 7252 section 5.5.2). Use CoapResults.Content.",
                nameof(diagnostic));
        }

        return new CoapResult(code, diagnostic is null ? default : System.Text.Encoding.UTF8.GetBytes(diagnostic));
    }
}
