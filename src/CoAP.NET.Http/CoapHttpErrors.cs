using System.Net;
using CoAP.NET.Errors;

namespace CoAP.NET.Http;

/// <summary>Maps failures of one protocol to the other (RFC 7252 section 10).</summary>
internal static class CoapHttpErrors
{
    /// <summary>Returns the <see cref="HttpRequestError"/> of a request without a response.</summary>
    /// <param name="exception">The reason why there is no response.</param>
    /// <returns>The kind.</returns>
    public static HttpRequestError ErrorOf(CoapException exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        return exception switch
        {
            CoapTimeoutException { Awaited: CoapTimeoutStep.NameResolution } or { Error: CoapError.NameResolution } =>
                HttpRequestError.NameResolutionError,
            CoapTimeoutException { Awaited: CoapTimeoutStep.DtlsHandshake or CoapTimeoutStep.TlsHandshake }
                or { Error: CoapError.HandshakeFailed } => HttpRequestError.SecureConnectionError,
            CoapTimeoutException { Awaited: CoapTimeoutStep.Response or CoapTimeoutStep.Pong or CoapTimeoutStep.NextBlock }
                or CoapResponseException => HttpRequestError.ResponseEnded,
            CoapTimeoutException
                or { Error: CoapError.ConnectFailed or CoapError.Refused or CoapError.Unreachable or CoapError.SendFailed } =>
                HttpRequestError.ConnectionError,
            CoapConnectionException => HttpRequestError.ResponseEnded,
            { Error: CoapError.Reset } => HttpRequestError.HttpProtocolError,
            CoapProtocolException => HttpRequestError.InvalidResponse,
            { Error: CoapError.TooLarge or CoapError.Busy } => HttpRequestError.ConfigurationLimitExceeded,
            _ => HttpRequestError.Unknown,
        };
    }

    /// <summary>
    /// Returns the status for an HTTP client if the CoAP server did not answer: 504 for a timeout, 502 for a protocol error or an
    /// unreachable server, 503 for overload and for a server that asked for no new connection yet.
    /// </summary>
    /// <param name="exception">The reason why there is no response.</param>
    /// <returns>The status.</returns>
    public static HttpStatusCode StatusOf(CoapException exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        return exception switch
        {
            { Error: CoapError.Timeout or CoapError.NotCached } => HttpStatusCode.GatewayTimeout,
            { Error: CoapError.Busy } => HttpStatusCode.ServiceUnavailable,
            { Error: CoapError.RetryLater } => HttpStatusCode.TooManyRequests,
            { RetryAfter: not null } => HttpStatusCode.ServiceUnavailable,
            { Error: CoapError.TooLarge } => HttpStatusCode.RequestEntityTooLarge,
            _ => HttpStatusCode.BadGateway,
        };
    }

    /// <summary>
    /// Returns the code for a CoAP client if the HTTP server did not answer: 5.04 for a timeout, otherwise 5.02 (RFC 7252 section 10.1).
    /// </summary>
    /// <param name="exception">The reason why there is no response.</param>
    /// <returns>The code.</returns>
    public static CoapCode CodeOf(Exception exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        return exception is OperationCanceledException or TimeoutException ? CoapCode.GatewayTimeout : CoapCode.BadGateway;
    }

    internal static HttpRequestException ToHttp(CoapException exception) => new(ErrorOf(exception), exception.Message, exception);
}
