using System.Text;
using CoAP.NET.Proxy.Admission;

namespace CoAP.NET.Proxy.Upstreams;

/// <summary>What a client is answered when its request could not be sent on or got no answer, as a table (RFC 7252 sections 5.7.1 and
/// 5.9.3).</summary>
internal static class UpstreamFailures
{
    /// <summary>The rows; the first one that fits counts.</summary>
    public static readonly FailureRow[] Rows =
    [
        new(typeof(CoapTargetDeniedException), CoapCode.ProxyingNotSupported, CoapProxy.NotAsked),
        new(typeof(CoapTimeoutException), CoapCode.GatewayTimeout, "The server did not answer in time."),
        new(typeof(CoapNameResolutionException), CoapCode.BadGateway, "The host name has no address."),
        new(typeof(CoapUnreachableException), CoapCode.BadGateway, "Nobody listens there."),
        new(typeof(CoapResetException), CoapCode.BadGateway, "The server rejected the request."),
        new(typeof(CoapConnectionException), CoapCode.BadGateway, "There is no connection to the server, or it ended before the answer."),
        new(typeof(CoapProtocolException), CoapCode.BadGateway, "The answer of the server cannot be processed."),
        new(typeof(CoapSendException), CoapCode.BadGateway, "The request cannot be sent there."),
        new(typeof(CoapRetryLaterException), CoapCode.TooManyRequests, "The server wants no requests yet."),
        new(typeof(CoapBusyException), CoapCode.ServiceUnavailable, "Too many requests to that server are under way."),
        new(typeof(CoapTooLargeException), CoapCode.BadGateway, "The request or its answer is too large to be sent on."),
        new(typeof(CoapException), CoapCode.BadGateway, "The request could not be sent on."),
        new(typeof(ArgumentException), CoapCode.BadRequest, "The request cannot be sent on as it is."),
        new(typeof(OperationCanceledException), CoapCode.GatewayTimeout, "The request was given up."),
    ];

    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(5);

    /// <summary>Whether a failure is one of the network or the peer, and not a defect of a program.</summary>
    /// <param name="exception">What was thrown.</param>
    public static bool Knows(Exception exception) => Array.Exists(Rows, row => row.Exception.IsInstanceOfType(exception));

    /// <summary>The answer to the client.</summary>
    /// <param name="exception">What was thrown.</param>
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
