using System.Net;

namespace CoAP.NET.Http;

/// <summary>
/// The tables of methods and codes between HTTP and CoAP: RFC 8075 section 7 for HTTP clients of CoAP servers, RFC 7252 section 10.1 for
/// CoAP clients of HTTP servers. The tables can be changed; change them before the first request, as they are not thread-safe while they
/// are changed.
/// </summary>
public sealed class CoapHttpCodes
{
    /// <summary>
    /// The CoAP method of an HTTP method; methods compare without regard to case. Default: GET, HEAD (as GET), POST, PUT, DELETE, PATCH,
    /// and, as this library's own, FETCH and IPATCH. HTTP's QUERY can be added as <see cref="CoapMethod.Fetch"/>. A method that is not in
    /// the table is answered 501 (RFC 7252 section 10.2.1).
    /// </summary>
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

    /// <summary>
    /// The HTTP method of a CoAP method, as text. Default: GET, POST, PUT, DELETE, and PATCH for PATCH and iPATCH. FETCH has none and is
    /// answered 5.01: no RFC maps it.
    /// </summary>
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
    /// The HTTP status of a CoAP response code (RFC 8075 section 7, table 2; RFC 8132, 8516 and 8768 for the codes that came later). What
    /// depends on the request or the payload is decided by <see cref="StatusOf"/> after the table was asked. A code that is not in the
    /// table has the status of its class.
    /// </summary>
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

    /// <summary>
    /// The CoAP code of an HTTP status. The RFCs leave this table to sense: the code of the same name where there is one. What depends on
    /// the
    /// method is decided by <see cref="CodeOf"/> after the table was asked. A status that is not in the table has the code of its class.
    /// </summary>
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

    /// <summary>The HTTP status of a response to a request (RFC 8075 section 7).</summary>
    /// <param name="code">The code of the response.</param>
    /// <param name="hasPayload">Whether the response has a payload: 2.02 and 2.04 without one are 204.</param>
    /// <param name="isConditional">Whether the HTTP client's request named entity-tags: without them 2.03 is not understood, 502.</param>
    /// <param name="hasClientOptions">Whether the request had critical options that came from header fields of the HTTP client: it has then
    /// caused a 4.02, which is 400 instead of 500.</param>
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

    /// <summary>The CoAP code of a response to a request (RFC 7252 section 10.1).</summary>
    /// <param name="status">The status of the response.</param>
    /// <param name="method">The method of the request.</param>
    /// <returns>The code: successes of PUT, POST and PATCH without a created resource are 2.04, of DELETE 2.02, also when there was
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
