using System.Text;
using CoAP.NET.Proxy.Admission;

namespace CoAP.NET.Proxy.Upstreams;

/// <summary>A table of the responses to clients whose request failed upstream (RFC 7252 sections 5.7.1 and 5.9.3).</summary>
internal static class UpstreamFailures
{
    /// <summary>The rows; the first match wins.</summary>
    public static readonly FailureRow[] Rows =
    [
        new(typeof(CoapTargetDeniedException), CoapCode.ProxyingNotSupported, CoapProxy.NotAsked),
        new(typeof(CoapTimeoutException), CoapCode.GatewayTimeout, "The server did not answer in time."),
        new(typeof(CoapNameResolutionException), CoapCode.BadGateway, "The host name has no address."),
        new(typeof(CoapUnreachableException), CoapCode.BadGateway, "The server refuses connections or does not listen on that port."),
        new(typeof(CoapResetException), CoapCode.BadGateway, "The server rejected the request."),
        new(typeof(CoapConnectionException), CoapCode.BadGateway, "There is no connection to the server, or it ended before the answer."),
        new(typeof(CoapProtocolException), CoapCode.BadGateway, "The proxy cannot process the response of the server."),
        new(typeof(CoapSendException), CoapCode.BadGateway, "The proxy cannot send the request to this destination."),
        new(typeof(CoapRetryLaterException), CoapCode.TooManyRequests, "The server accepts no requests yet. Retry later."),
        new(typeof(CoapBusyException), CoapCode.ServiceUnavailable,
            "Too many requests to that server, or look-ups of host names, are pending. Retry later."),
        new(typeof(CoapTooLargeException), CoapCode.BadGateway, "The request or its response is too large to forward."),
        new(typeof(CoapException), CoapCode.BadGateway, "The proxy could not forward the request."),
        new(typeof(ArgumentException), CoapCode.BadRequest, "The proxy cannot forward this request."),
        new(typeof(OperationCanceledException), CoapCode.GatewayTimeout, "The request was canceled."),
    ];

    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(5);

    /// <summary>Whether a failure comes from the network or the peer, and not from a defect of the program.</summary>
    /// <param name="exception">The exception.</param>
    public static bool Knows(Exception exception) => Array.Exists(Rows, row => row.Exception.IsInstanceOfType(exception));

    /// <summary>Returns the response for the client.</summary>
    /// <param name="exception">The exception.</param>
    public static CoapResult Answer(Exception exception)
    {
        FailureRow row = Array.Find(Rows, row => row.Exception.IsInstanceOfType(exception)) ?? Rows[^1];
        CoapResult result = new(row.Code, Encoding.UTF8.GetBytes(row.Text));
        return exception switch
        {
            CoapRetryLaterException later => result.WithMaxAge(TimeSpan.FromSeconds(Math.Ceiling(later.RetryAfter.TotalSeconds))),
            CoapBusyException => result.WithMaxAge(s_retryAfter),
            _ => result,
        };
    }
}

/// <summary>A row of <see cref="UpstreamFailures"/>.</summary>
/// <param name="Exception">The exception type; derived types match too.</param>
/// <param name="Code">The response code for the client.</param>
/// <param name="Text">The diagnostic payload. It must reveal nothing about the network behind the proxy.</param>
internal sealed record FailureRow(Type Exception, CoapCode Code, string Text);
