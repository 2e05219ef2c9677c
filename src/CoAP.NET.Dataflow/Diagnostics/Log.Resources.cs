using CoAP.NET.Resources;
using Microsoft.Extensions.Logging;

namespace CoAP.NET;

internal static partial class Log
{
    [LoggerMessage(1500, LogLevel.Error, "The handler of {Route} failed. The peer gets 5.00 without detail.")]
    public static partial void HandlerFailed(ILogger logger, RouteTemplate route, Exception exception);

    [LoggerMessage(1501, LogLevel.Error,
        "The handler of {Route} returned null. The peer gets 5.00; return CoapResults.Changed() or another result instead.")]
    public static partial void HandlerReturnedNull(ILogger logger, RouteTemplate route);

    [LoggerMessage(1502, LogLevel.Information,
        "The handler of {Route} blocked the thread that received its requests several times. It runs on threads of its own for {Minutes} "
            + "minutes. Make it asynchronous, or declare it with RunQueued.")]
    public static partial void HandlerIsSlow(ILogger logger, RouteTemplate route, double minutes);

    [LoggerMessage(1503, LogLevel.Warning,
        "The handler of {Route} answered 2.03 or 2.31 with a payload, which these codes cannot have. It was left out.")]
    public static partial void PayloadDropped(ILogger logger, RouteTemplate route);

    [LoggerMessage(1507, LogLevel.Debug,
        "The handler of {Route} answered in the format {Format}, but the request accepts {Accept} only. The peer gets 4.06. Name the "
            + "formats with Produces to answer so before the handler runs.")]
    public static partial void FormatNotAcceptable(ILogger logger, RouteTemplate route, CoapContentFormat format, CoapContentFormat accept);

    [LoggerMessage(1508, LogLevel.Warning,
        "Notify of {Path} reaches nobody: {Reason}. Look for a mistake in the path, or say Observable() of the route. This is said at most "
            + "once a minute.")]
    public static partial void NoticeReachesNobody(ILogger logger, string path, string reason);

    [LoggerMessage(1506, LogLevel.Error, "What DescribeErrors was given failed for {Route}. The answer goes out without a description.")]
    public static partial void DescribingFailed(ILogger logger, string route, Exception exception);

    [LoggerMessage(1504, LogLevel.Information, "Some routes are served over some schemes only. What is served where:\n{Routes}")]
    public static partial void RoutesOnSchemes(ILogger logger, string routes);

    [LoggerMessage(1505, LogLevel.Warning,
        "The route {Route} is served nowhere: what OnlyOn and RequireTransportSecurity leave of {Schemes} is nothing. Listen on another "
            + "scheme, or change the route.")]
    public static partial void RouteIsServedNowhere(ILogger logger, string route, string schemes);
}
