using System.Net;

namespace CoAP.NET.Http;

/// <summary>What failures of one protocol are in the other (RFC 7252 section 10).</summary>
public static class CoapHttpErrors
{
    /// <summary>The kind of error that an <see cref="HttpRequestException"/> tells of, for a request without a response.</summary>
    /// <param name="exception">Why no response came.</param>
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

    /// <summary>What a proxy answers an HTTP client when the CoAP server did not answer: 504 for silence, 502 for what was not understood
    /// or could not be reached, 503 for what is too much at the moment.</summary>
    /// <param name="exception">Why no response came.</param>
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

    /// <summary>What a proxy answers a CoAP client when the HTTP server did not answer: 5.04 for silence, otherwise 5.02 (RFC 7252
    /// section 10.1).</summary>
    /// <param name="exception">Why no response came.</param>
    /// <returns>The code.</returns>
    public static CoapCode CodeOf(Exception exception) =>
        exception is OperationCanceledException or TimeoutException ? CoapCode.GatewayTimeout : CoapCode.BadGateway;

    internal static HttpRequestException ToHttp(CoapException exception, CoapUri uri)
    {
        HttpRequestError error = ErrorOf(exception);

        // The core does not know what transports of other assemblies throw; when a session cannot be opened, it is theirs.
        if (error == HttpRequestError.Unknown && exception.GetType().Assembly != typeof(CoapException).Assembly
            && uri.Scheme.StartsWith("coaps", StringComparison.Ordinal))
        {
            error = HttpRequestError.SecureConnectionError;
        }

        return new HttpRequestException(error, exception.Message, exception);
    }
}
