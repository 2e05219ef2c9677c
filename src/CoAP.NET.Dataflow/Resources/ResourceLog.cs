using Microsoft.Extensions.Logging;

namespace CoAP.NET.Resources;

/// <summary>Log messages of the Resource stage.</summary>
internal static partial class ResourceLog
{
    [LoggerMessage(1500, LogLevel.Error, "The handler of {Route} failed. The peer gets 5.00 without details.")]
    public static partial void HandlerFailed(ILogger logger, string route, Exception exception);

    [LoggerMessage(1501, LogLevel.Error,
        "The handler of {Route} returned null. The peer gets 5.00; return CoapResults.Changed() or another result instead.")]
    public static partial void HandlerReturnedNull(ILogger logger, string route);

    [LoggerMessage(1502, LogLevel.Information,
        "The handler of {Route} held the thread that received its requests for too long several times: it blocks, or the machine is busy. "
            + "It runs on separate threads for a minute. If it blocks, make it asynchronous, or declare it with "
            + "WithExecution(queued: n).")]
    public static partial void HandlerIsSlow(ILogger logger, string route);

    [LoggerMessage(1503, LogLevel.Warning,
        "The handler of {Route} returned 2.03 or 2.31 with a payload, which these codes cannot have. The payload was omitted.")]
    public static partial void PayloadDropped(ILogger logger, string route);

    [LoggerMessage(1507, LogLevel.Debug,
        "The handler of {Route} responded in the format {Format}, but the request only accepts {Accept}. The peer gets 4.06. Declare the "
            + "formats with Produces to reject such requests before the handler runs.")]
    public static partial void FormatNotAcceptable(ILogger logger, string route, CoapContentFormat format, CoapContentFormat accept);

    [LoggerMessage(1508, LogLevel.Warning,
        "Notify of {Path} reaches no observers: {Reason}. Check the path for errors, or call Observable() on the route. Logged at most "
            + "once per minute.")]
    public static partial void NoticeReachesNobody(ILogger logger, string path, string reason);

    [LoggerMessage(1509, LogLevel.Error,
        "The handler of {Route} could not open a file or a socket, because no file descriptor is left: this process may have {Limit}. The "
            + "peer gets 5.03 and tries again later. Raise the limit of open files (ulimit -n, LimitNOFILE), or find what does not close "
            + "its files. Logged once per minute.")]
    public static partial void NoDescriptor(ILogger logger, string route, long limit, Exception exception);

    [LoggerMessage(1506, LogLevel.Error,
        "The function of WithErrorContent failed for {Route}. The response is sent without a description.")]
    public static partial void DescribingFailed(ILogger logger, string route, Exception exception);

    [LoggerMessage(1024, LogLevel.Information,
        "Some transports are secured: {Secured}. Routes without AllowInsecureTransport are served only over those. Routes by "
            + "scheme:\n{Routes}")]
    public static partial void RoutesAndSchemes(ILogger logger, string routes, string secured);

    [LoggerMessage(1504, LogLevel.Information, "Some routes are served only over some schemes. Routes by scheme:\n{Routes}")]
    public static partial void RoutesOnSchemes(ILogger logger, string routes);

    [LoggerMessage(1505, LogLevel.Warning,
        "No transport serves the route {Route}: RequireScheme and RequireTransportSecurity exclude all of {Schemes}. Listen on another "
            + "scheme, or change the route.")]
    public static partial void RouteIsServedNowhere(ILogger logger, string route, string schemes);
}
