using System.Net;

namespace CoAP.NET.Http;

/// <summary>
/// Maps methods and codes between HTTP and CoAP: RFC 8075 section 7 for HTTP clients of CoAP servers, RFC 7252 section 10.1 for CoAP
/// clients of HTTP servers.
/// </summary>
/// <remarks>Change the tables before the first request only: changes are not thread-safe.</remarks>
internal sealed class CoapHttpCodes
{
    /// <summary>The CoAP method of each HTTP method, compared case-insensitively.</summary>
    /// <remarks>
    /// Default: GET, HEAD (as GET), POST, PUT, DELETE, PATCH, and as extensions of this library FETCH and IPATCH. You can add HTTP's QUERY
    /// as <see cref="CoapMethod.Fetch"/>. Other methods get 501 (RFC 7252 section 10.2.1).
    /// </remarks>
    public IDictionary<string, CoapMethod> CoapMethods { get; } = new Dictionary<string, CoapMethod>(StringComparer.OrdinalIgnoreCase)
    {
        ["GET"] = CoapMethod.Get,
        ["HEAD"] = CoapMethod.Get,
        ["POST"] = CoapMethod.Post,
        ["PUT"] = CoapMethod.Put,
        ["DELETE"] = CoapMethod.Delete,
        ["PATCH"] = CoapMethod.Patch,
        ["FETCH"] = CoapMethod.Fetch,
        ["IPATCH"] = CoapMethod.IPatch,
    };

    /// <summary>The HTTP method of each CoAP method, as text.</summary>
    /// <remarks>Default: GET, POST, PUT, DELETE, and PATCH for PATCH and iPATCH. No RFC maps FETCH; it gets 5.01.</remarks>
    public IDictionary<CoapMethod, string> HttpMethods { get; } = new Dictionary<CoapMethod, string>
    {
        [CoapMethod.Get] = "GET",
        [CoapMethod.Post] = "POST",
        [CoapMethod.Put] = "PUT",
        [CoapMethod.Delete] = "DELETE",
        [CoapMethod.Patch] = "PATCH",
        [CoapMethod.IPatch] = "PATCH",
    };

    /// <summary>
    /// The HTTP status of each CoAP response code (RFC 8075 section 7, table 2; RFC 8132, 8516 and 8768 for later codes).
    /// </summary>
    /// <remarks>
    /// <see cref="StatusOf"/> adds the rules that depend on the request or the payload. A code without an entry has the status of its
    /// class.
    /// </remarks>
    public IDictionary<CoapCode, HttpStatusCode> Statuses { get; } = new Dictionary<CoapCode, HttpStatusCode>
    {
        [CoapCode.Created] = HttpStatusCode.Created,
        [CoapCode.Deleted] = HttpStatusCode.OK,
        [CoapCode.Valid] = HttpStatusCode.NotModified,
        [CoapCode.Changed] = HttpStatusCode.OK,
        [CoapCode.Content] = HttpStatusCode.OK,
        [CoapCode.Continue] = HttpStatusCode.BadGateway,
        [CoapCode.BadRequest] = HttpStatusCode.BadRequest,
        [CoapCode.Unauthorized] = HttpStatusCode.Forbidden,
        [CoapCode.BadOption] = HttpStatusCode.InternalServerError,
        [CoapCode.Forbidden] = HttpStatusCode.Forbidden,
        [CoapCode.NotFound] = HttpStatusCode.NotFound,
        [CoapCode.MethodNotAllowed] = HttpStatusCode.BadRequest,
        [CoapCode.NotAcceptable] = HttpStatusCode.NotAcceptable,
        [CoapCode.RequestEntityIncomplete] = HttpStatusCode.BadGateway,
        [CoapCode.Conflict] = HttpStatusCode.Conflict,
        [CoapCode.PreconditionFailed] = HttpStatusCode.PreconditionFailed,
        [CoapCode.RequestEntityTooLarge] = HttpStatusCode.RequestEntityTooLarge,
        [CoapCode.UnsupportedContentFormat] = HttpStatusCode.UnsupportedMediaType,
        [CoapCode.UnprocessableEntity] = HttpStatusCode.UnprocessableEntity,
        [CoapCode.TooManyRequests] = HttpStatusCode.TooManyRequests,
        [CoapCode.InternalServerError] = HttpStatusCode.InternalServerError,
        [CoapCode.NotImplemented] = HttpStatusCode.NotImplemented,
        [CoapCode.BadGateway] = HttpStatusCode.BadGateway,
        [CoapCode.ServiceUnavailable] = HttpStatusCode.ServiceUnavailable,
        [CoapCode.GatewayTimeout] = HttpStatusCode.GatewayTimeout,
        [CoapCode.ProxyingNotSupported] = HttpStatusCode.BadGateway,
        [CoapCode.HopLimitReached] = HttpStatusCode.LoopDetected,
    };

    /// <summary>The CoAP code of each HTTP status.</summary>
    /// <remarks>
    /// The RFCs do not define this table: it maps a status to the code of the same name if there is one. <see cref="CodeOf"/> adds the
    /// rules that depend on the method. A status without an entry has the code of its class.
    /// </remarks>
    public IDictionary<HttpStatusCode, CoapCode> Codes { get; } = new Dictionary<HttpStatusCode, CoapCode>
    {
        [HttpStatusCode.OK] = CoapCode.Content,
        [HttpStatusCode.Created] = CoapCode.Created,
        [HttpStatusCode.Accepted] = CoapCode.Content,
        [HttpStatusCode.NonAuthoritativeInformation] = CoapCode.Content,
        [HttpStatusCode.NoContent] = CoapCode.Content,
        [HttpStatusCode.ResetContent] = CoapCode.Content,
        [HttpStatusCode.PartialContent] = CoapCode.BadGateway,
        [HttpStatusCode.MultiStatus] = CoapCode.Content,
        [HttpStatusCode.NotModified] = CoapCode.Valid,
        [HttpStatusCode.Unauthorized] = CoapCode.Unauthorized,
        [HttpStatusCode.Forbidden] = CoapCode.Forbidden,
        [HttpStatusCode.NotFound] = CoapCode.NotFound,
        [HttpStatusCode.MethodNotAllowed] = CoapCode.MethodNotAllowed,
        [HttpStatusCode.NotAcceptable] = CoapCode.NotAcceptable,
        [HttpStatusCode.RequestTimeout] = CoapCode.GatewayTimeout,
        [HttpStatusCode.Conflict] = CoapCode.Conflict,
        [HttpStatusCode.Gone] = CoapCode.NotFound,
        [HttpStatusCode.PreconditionFailed] = CoapCode.PreconditionFailed,
        [HttpStatusCode.RequestEntityTooLarge] = CoapCode.RequestEntityTooLarge,
        [HttpStatusCode.UnsupportedMediaType] = CoapCode.UnsupportedContentFormat,
        [HttpStatusCode.UnprocessableEntity] = CoapCode.UnprocessableEntity,
        [HttpStatusCode.TooManyRequests] = CoapCode.TooManyRequests,
        [HttpStatusCode.InternalServerError] = CoapCode.InternalServerError,
        [HttpStatusCode.NotImplemented] = CoapCode.NotImplemented,
        [HttpStatusCode.BadGateway] = CoapCode.BadGateway,
        [HttpStatusCode.ServiceUnavailable] = CoapCode.ServiceUnavailable,
        [HttpStatusCode.GatewayTimeout] = CoapCode.GatewayTimeout,
        [HttpStatusCode.HttpVersionNotSupported] = CoapCode.BadGateway,
        [HttpStatusCode.InsufficientStorage] = CoapCode.InternalServerError,
        [HttpStatusCode.LoopDetected] = CoapCode.HopLimitReached,
    };

    /// <summary>Returns the HTTP status of a CoAP response (RFC 8075 section 7).</summary>
    /// <param name="code">The code of the response.</param>
    /// <param name="hasPayload">Whether the response has a payload: 2.02 and 2.04 without one become 204.</param>
    /// <param name="isConditional">Whether the HTTP client's request has entity-tags. Without them 2.03 is unexpected and becomes
    /// 502.</param>
    /// <param name="hasClientOptions">Whether the request has critical options that came from header fields of the HTTP client. They are
    /// then the cause of a 4.02, which becomes 400 instead of 500.</param>
    /// <returns>The status.</returns>
    public HttpStatusCode StatusOf(CoapCode code, bool hasPayload, bool isConditional = false, bool hasClientOptions = false)
    {
        HttpStatusCode status = Statuses.TryGetValue(code, out HttpStatusCode known) ? known : code.Class switch
        {
            2 => HttpStatusCode.OK,
            4 => HttpStatusCode.BadRequest,
            5 => HttpStatusCode.InternalServerError,
            _ => HttpStatusCode.BadGateway,
        };
        return status switch
        {
            HttpStatusCode.OK when !hasPayload && (code == CoapCode.Deleted || code == CoapCode.Changed) => HttpStatusCode.NoContent,
            HttpStatusCode.NotModified when code == CoapCode.Valid && !isConditional => HttpStatusCode.BadGateway,
            HttpStatusCode.InternalServerError when code == CoapCode.BadOption && hasClientOptions => HttpStatusCode.BadRequest,
            _ => status,
        };
    }

    /// <summary>Returns the CoAP code of an HTTP response (RFC 7252 section 10.1).</summary>
    /// <returns>The code. Successes of PUT, POST and PATCH without a created resource are 2.04; those of DELETE are 2.02, also if there was
    /// nothing to delete.</returns>
    public CoapCode CodeOf(HttpStatusCode status, CoapMethod method)
    {
        CoapCode code = Codes.TryGetValue(status, out CoapCode known) ? known : (int)status switch
        {
            >= 200 and < 300 => CoapCode.Content,
            >= 400 and < 500 => CoapCode.BadRequest,
            >= 500 and < 600 => CoapCode.InternalServerError,
            _ => CoapCode.BadGateway,
        };
        if (method == CoapMethod.Delete)
        {
            return code.IsSuccess || code == CoapCode.NotFound ? CoapCode.Deleted : code;
        }

        bool isRead = method is CoapMethod.Get or CoapMethod.Fetch;
        return code == CoapCode.Content && !isRead ? CoapCode.Changed
            : code == CoapCode.Created && isRead ? CoapCode.Content
            : code == CoapCode.Valid && !isRead ? CoapCode.BadGateway
            : code;
    }
}
