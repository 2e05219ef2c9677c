using CoAP.NET.Resources;
using Microsoft.Extensions.Logging;

namespace CoAP.NET;

internal static partial class ResultLog
{
    [LoggerMessage(1544, LogLevel.Warning,
        "The stream in the response of the handler of {Route} could not be closed. This does not affect any response.")]
    public static partial void StreamNotClosed(ILogger logger, RouteTemplate route, Exception exception);

    [LoggerMessage(1520, LogLevel.Debug, "A request of {Channel} was refused: {Reason}")]
    public static partial void ArgumentRefused(ILogger logger, string reason, CoapChannel channel);
}
