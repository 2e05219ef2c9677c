using Microsoft.Extensions.Logging;

namespace CoAP.NET.Groups;

/// <summary>Log messages of requests to groups.</summary>
internal static partial class GroupLog
{
    [LoggerMessage(1451, LogLevel.Debug, "The response of {Peer} to a group request is not a link-format document: {Error}")]
    public static partial void GroupLinksUnreadable(ILogger logger, string peer, string error);

    [LoggerMessage(1452, LogLevel.Debug, "The rest of the response of {Peer} to a group request could not be fetched: {Error}")]
    public static partial void GroupBodyIncomplete(ILogger logger, string peer, string error);
}
