using CoAP.NET.Options;

namespace CoAP.NET;

// Error responses. A diagnostic text is for people and goes out without a Content-Format (RFC 7252 section 5.5.2).
public static partial class CoapResults
{
    /// <summary>4.00 Bad Request: the request cannot be understood (RFC 7252 section 5.9.2.1).</summary>
    /// <param name="diagnostic">A text for people; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult BadRequest(string? diagnostic = null) => Status(CoapCode.BadRequest, diagnostic);

    /// <summary>4.01 Unauthorized: better credentials are needed (RFC 7252 section 5.9.2.2).</summary>
    /// <param name="diagnostic">A text for people; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult Unauthorized(string? diagnostic = null) => Status(CoapCode.Unauthorized, diagnostic);

    /// <summary>4.03 Forbidden (RFC 7252 section 5.9.2.4).</summary>
    /// <param name="diagnostic">A text for people; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult Forbidden(string? diagnostic = null) => Status(CoapCode.Forbidden, diagnostic);

    /// <summary>4.04 Not Found (RFC 7252 section 5.9.2.5).</summary>
    /// <param name="diagnostic">A text for people; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult NotFound(string? diagnostic = null) => Status(CoapCode.NotFound, diagnostic);

    /// <summary>4.05 Method Not Allowed (RFC 7252 section 5.9.2.6).</summary>
    /// <param name="diagnostic">A text for people; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult MethodNotAllowed(string? diagnostic = null) => Status(CoapCode.MethodNotAllowed, diagnostic);

    /// <summary>4.06 Not Acceptable: the Accept option names another format than there is (RFC 7252 section 5.9.2.7).</summary>
    /// <param name="diagnostic">A text for people; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult NotAcceptable(string? diagnostic = null) => Status(CoapCode.NotAcceptable, diagnostic);

    /// <summary>4.09 Conflict: the resource is in another state than the request needs; say which (RFC 8132 section 3.4).</summary>
    /// <param name="diagnostic">A text for people; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult Conflict(string? diagnostic = null) => Status(CoapCode.Conflict, diagnostic);

    /// <summary>
    /// 4.12 Precondition Failed (RFC 7252 section 5.9.2.8). <see cref="CoapRequest.CheckPreconditions(CoapETag?)"/> makes it.
    /// </summary>
    /// <param name="diagnostic">A text for people; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult PreconditionFailed(string? diagnostic = null) => Status(CoapCode.PreconditionFailed, diagnostic);

    /// <summary>4.15 Unsupported Content-Format (RFC 7252 section 5.9.2.10).</summary>
    /// <param name="diagnostic">A text for people; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult UnsupportedContentFormat(string? diagnostic = null) => Status(CoapCode.UnsupportedContentFormat, diagnostic);

    /// <summary>4.22 Unprocessable Entity: the format is right, but it cannot be applied (RFC 8132 section 3.4).</summary>
    /// <param name="diagnostic">A text for people; null for none.</param>
    /// <returns>The result.</returns>
    public static CoapResult UnprocessableEntity(string? diagnostic = null) => Status(CoapCode.UnprocessableEntity, diagnostic);

    /// <summary>4.13 Request Entity Too Large (RFC 7252 section 5.9.2.9).</summary>
    /// <param name="maxSize">The largest size that is taken, in bytes, sent as Size1; null for no hint.</param>
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
    /// <param name="wait">How long the client should wait before it asks again, in whole seconds; sent as Max-Age.</param>
    /// <returns>The result.</returns>
    public static CoapResult TooManyRequests(TimeSpan wait) => Status(CoapCode.TooManyRequests).WithMaxAge(wait);

    /// <summary>5.00 Internal Server Error. Without detail: what went wrong belongs into the log, not to the peer.</summary>
    /// <returns>The result.</returns>
    public static CoapResult InternalServerError() => Status(CoapCode.InternalServerError);

    /// <summary>5.03 Service Unavailable (RFC 7252 section 5.9.3.4).</summary>
    /// <param name="retryAfter">How long the client should wait before it asks again, in whole seconds; sent as Max-Age.</param>
    /// <returns>The result.</returns>
    public static CoapResult ServiceUnavailable(TimeSpan retryAfter) => Status(CoapCode.ServiceUnavailable).WithMaxAge(retryAfter);
}
