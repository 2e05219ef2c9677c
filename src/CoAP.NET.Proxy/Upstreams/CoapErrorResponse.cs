using System.Text;

namespace CoAP.NET.Proxy.Upstreams;

/// <summary>
/// Makes the response to a CoAP client whose request failed upstream (RFC 7252 sections 5.7.1 and 5.9.3). HTTP clients get theirs from
/// <c>HttpErrorResponse</c>.
/// </summary>
internal static class CoapErrorResponse
{
    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Whether the proxy answers this exception with an error response. Other exceptions are defects of the program.
    /// </summary>
    /// <param name="exception">The exception.</param>
    public static bool Covers(Exception exception) => exception is CoapException or ArgumentException or OperationCanceledException;

    /// <summary>Returns the response for the client.</summary>
    /// <param name="exception">The exception.</param>
    public static CoapResult Of(Exception exception)
    {
        (CoapCode code, string text) = Describe(exception);
        CoapResult result = new(code, Encoding.UTF8.GetBytes(text));
        return exception switch
        {
            CoapException { RetryAfter: { } wait } =>
                result.WithMaxAge(TimeSpan.FromSeconds(Math.Ceiling(wait.TotalSeconds))),
            CoapException { Error: CoapError.Busy } => result.WithMaxAge(s_retryAfter),
            _ => result,
        };
    }

    // The texts must reveal nothing about the network behind the proxy.
    private static (CoapCode Code, string Text) Describe(Exception exception) => exception switch
    {
        CoapTargetDeniedException => (CoapCode.ProxyingNotSupported, CoapProxy.TargetDeniedText),
        CoapException { Error: CoapError.Timeout } => (CoapCode.GatewayTimeout, "The server did not answer in time."),
        CoapException { Error: CoapError.NameResolution } => (CoapCode.BadGateway, "The host name has no address."),
        CoapException { Error: CoapError.Unreachable } =>
            (CoapCode.BadGateway, "The server refuses connections or does not listen on that port."),
        CoapException { Error: CoapError.Reset } => (CoapCode.BadGateway, "The server rejected the request."),
        CoapException { Error: CoapError.SendFailed } => (CoapCode.BadGateway, "The proxy cannot send the request to this destination."),
        CoapConnectionException { RetryAfter: not null } =>
            (CoapCode.ServiceUnavailable, "The server accepts no connections yet. Retry later."),
        CoapConnectionException => (CoapCode.BadGateway, "There is no connection to the server, or it ended before the answer."),
        CoapProtocolException => (CoapCode.BadGateway, "The proxy cannot process the response of the server."),
        CoapException { Error: CoapError.RetryLater } =>
            (CoapCode.TooManyRequests, "The server accepts no requests yet. Retry later."),
        CoapException { Error: CoapError.Busy } =>
            (CoapCode.ServiceUnavailable, "Too many requests to that server, or lookups of host names, are pending. Retry later."),
        CoapException { Error: CoapError.TooLarge } =>
            (CoapCode.BadGateway, "The request or its response is too large to forward."),
        CoapException => (CoapCode.BadGateway, "The proxy could not forward the request."),
        ArgumentException => (CoapCode.BadRequest, "The proxy cannot forward this request."),
        _ => (CoapCode.GatewayTimeout, "The request was canceled."),
    };
}
