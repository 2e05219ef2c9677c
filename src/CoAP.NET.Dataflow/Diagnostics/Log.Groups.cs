using Microsoft.Extensions.Logging;

namespace CoAP.NET;

internal static partial class Log
{
    [LoggerMessage(1450, LogLevel.Information, "UDP: joined the group {Group} on interface {Interface}.")]
    public static partial void MulticastJoined(ILogger logger, System.Net.IPAddress group, int @interface);

    [LoggerMessage(1451, LogLevel.Debug, "What {Peer} answered to a group is no link-format document: {Error}")]
    public static partial void GroupLinksUnreadable(ILogger logger, string peer, string error);

    [LoggerMessage(1452, LogLevel.Debug, "The rest of what {Peer} answered to a group could not be had: {Error}")]
    public static partial void GroupBodyIncomplete(ILogger logger, string peer, string error);
}
