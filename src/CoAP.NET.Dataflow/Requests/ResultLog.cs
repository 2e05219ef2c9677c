using CoAP.NET.Resources;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Requests;

/// <summary>Log messages of the results of handlers.</summary>
internal static partial class ResultLog
{
    [LoggerMessage(1544, LogLevel.Warning,
        "The stream in the response of the handler of {Route} could not be closed. This does not affect any response.")]
    public static partial void StreamNotClosed(ILogger logger, string route, Exception exception);

    [LoggerMessage(1520, LogLevel.Information,
        "A request of {Channel} was refused: {Reason} {LeftOut} more were not logged since the last one: logged at most 60 times per "
            + "minute; coap.server.refusals counts each.")]
    public static partial void ArgumentRefused(ILogger logger, string reason, CoapChannel channel, long leftOut);
}
