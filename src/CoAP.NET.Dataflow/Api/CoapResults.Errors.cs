using CoAP.NET.Options;

namespace CoAP.NET;

// Error responses. A diagnostic text is human-readable and is sent without a Content-Format (RFC 7252 section 5.5.2).
public static partial class CoapResults
{
    /// <summary>4.00 Bad Request: the server cannot understand the request (RFC 7252 section 5.9.2.1).</summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult BadRequest(string? diagnostic = null) => Status(CoapCode.BadRequest, diagnostic);

    /// <summary>4.01 Unauthorized: the client needs other credentials (RFC 7252 section 5.9.2.2).</summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult Unauthorized(string? diagnostic = null) => Status(CoapCode.Unauthorized, diagnostic);

    /// <summary>4.03 Forbidden (RFC 7252 section 5.9.2.4).</summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult Forbidden(string? diagnostic = null) => Status(CoapCode.Forbidden, diagnostic);

    /// <summary>4.04 Not Found (RFC 7252 section 5.9.2.5).</summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult NotFound(string? diagnostic = null) => Status(CoapCode.NotFound, diagnostic);

    /// <summary>4.05 Method Not Allowed (RFC 7252 section 5.9.2.6).</summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult MethodNotAllowed(string? diagnostic = null) => Status(CoapCode.MethodNotAllowed, diagnostic);

    /// <summary>4.06 Not Acceptable: the format of the Accept option is not available (RFC 7252 section 5.9.2.7).</summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult NotAcceptable(string? diagnostic = null) => Status(CoapCode.NotAcceptable, diagnostic);

    /// <summary>
    /// 4.09 Conflict: the request does not fit the state of the resource; describe it in the text (RFC 8132 section 3.4).
    /// </summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult Conflict(string? diagnostic = null) => Status(CoapCode.Conflict, diagnostic);

    /// <summary>4.12 Precondition Failed (RFC 7252 section 5.9.2.8).</summary>
    /// <remarks><see cref="CoapRequest.CheckPreconditions(CoapETag?)"/> returns it.</remarks>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult PreconditionFailed(string? diagnostic = null) => Status(CoapCode.PreconditionFailed, diagnostic);

    /// <summary>4.15 Unsupported Content-Format (RFC 7252 section 5.9.2.10).</summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult UnsupportedContentFormat(string? diagnostic = null) => Status(CoapCode.UnsupportedContentFormat, diagnostic);

    /// <summary>4.22 Unprocessable Entity: the format is right, but the server cannot apply the content (RFC 8132 section 3.4).</summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult UnprocessableEntity(string? diagnostic = null) => Status(CoapCode.UnprocessableEntity, diagnostic);

    /// <summary>4.13 Request Entity Too Large (RFC 7252 section 5.9.2.9).</summary>
    /// <param name="maxSize">The maximum accepted size, in bytes, sent as Size1; null for no hint.</param>
    /// <returns>The result.</returns>
    public static CoapResult RequestEntityTooLarge(long? maxSize = null)
    {
        CoapResult result = Status(CoapCode.RequestEntityTooLarge);
        if (maxSize is { } size)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(size, nameof(maxSize));
            result.Options.AddUInt(OptionNumber.Size1, (uint)Math.Min(size, uint.MaxValue));
        }

        return result;
    }

    /// <summary>4.29 Too Many Requests (RFC 8516 section 3).</summary>
    /// <param name="wait">The time for the client to wait before it tries again, in whole seconds; sent as Max-Age.</param>
    /// <returns>The result.</returns>
    public static CoapResult TooManyRequests(TimeSpan wait) => Status(CoapCode.TooManyRequests).WithMaxAge(wait);

    /// <summary>5.00 Internal Server Error.</summary>
    /// <remarks>It has no details: the cause belongs in the log, not in the response.</remarks>
    /// <returns>The result.</returns>
    public static CoapResult InternalServerError() => Status(CoapCode.InternalServerError);

    /// <summary>5.03 Service Unavailable (RFC 7252 section 5.9.3.4).</summary>
    /// <param name="retryAfter">The time for the client to wait before it tries again, in whole seconds; sent as Max-Age.</param>
    /// <returns>The result.</returns>
    public static CoapResult ServiceUnavailable(TimeSpan retryAfter) => Status(CoapCode.ServiceUnavailable).WithMaxAge(retryAfter);
}
