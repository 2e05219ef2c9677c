using System.Net;

namespace CoAP.NET.Http;

/// <summary>Maps failures of one protocol to the other (RFC 7252 section 10).</summary>
public static class CoapHttpErrors
{
    /// <summary>Returns the <see cref="HttpRequestError"/> of a request without a response.</summary>
    /// <param name="exception">The reason why there is no response.</param>
    /// <returns>The kind.</returns>
    public static HttpRequestError ErrorOf(CoapException exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        return exception switch
        {
            CoapNameResolutionException => HttpRequestError.NameResolutionError,
            CoapConnectionException { Error: CoapConnectionError.HandshakeFailed } => HttpRequestError.SecureConnectionError,
            CoapConnectionException { Error: CoapConnectionError.ConnectFailed or CoapConnectionError.Refused } =>
                HttpRequestError.ConnectionError,
            CoapConnectionException or CoapResponseException => HttpRequestError.ResponseEnded,
            CoapTimeoutException { Awaited: CoapAwaited.NameResolution } => HttpRequestError.NameResolutionError,
            CoapTimeoutException { Awaited: CoapAwaited.DtlsHandshake or CoapAwaited.TlsHandshake } =>
                HttpRequestError.SecureConnectionError,
            CoapTimeoutException { Reason: CoapTimeoutReason.NoResponse } => HttpRequestError.ResponseEnded,
            CoapTimeoutException or CoapUnreachableException or CoapSendException => HttpRequestError.ConnectionError,
            CoapResetException => HttpRequestError.HttpProtocolError,
            CoapProtocolException => HttpRequestError.InvalidResponse,
            CoapTooLargeException or CoapBusyException => HttpRequestError.ConfigurationLimitExceeded,
            _ => HttpRequestError.Unknown,
        };
    }

    /// <summary>
    /// Returns the status for an HTTP client if the CoAP server did not answer: 504 for a timeout, 502 for a protocol error or an
    /// unreachable server, 503 for overload.
    /// </summary>
    /// <param name="exception">The reason why there is no response.</param>
    /// <returns>The status.</returns>
    public static HttpStatusCode StatusOf(CoapException exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        return exception switch
        {
            CoapTimeoutException or CoapCacheMissException => HttpStatusCode.GatewayTimeout,
            CoapBusyException => HttpStatusCode.ServiceUnavailable,
            CoapRetryLaterException => HttpStatusCode.TooManyRequests,
            CoapTooLargeException => HttpStatusCode.RequestEntityTooLarge,
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

    internal static HttpRequestException ToHttp(CoapException exception, CoapUri uri)
    {
        HttpRequestError error = ErrorOf(exception);

        // The core does not know the exceptions of transports in other assemblies; a failed session is one of theirs.
        if (error == HttpRequestError.Unknown && exception.GetType().Assembly != typeof(CoapException).Assembly
            && uri.Scheme.StartsWith("coaps", StringComparison.Ordinal))
        {
            error = HttpRequestError.SecureConnectionError;
        }

        return new HttpRequestException(error, exception.Message, exception);
    }
}
