using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>The log of changes that nodes notify each other of: ids from 2519.</summary>
internal static partial class NoticeLog
{
    [LoggerMessage(2519, LogLevel.Warning,
        "Node {Other} could not be notified of changes, or of what is observed here: {Reason} The node retries, and no change is lost. "
        + "Logged at most once a minute.")]
    public static partial void NoticeFailed(ILogger logger, CoapNodeId other, string reason);

    [LoggerMessage(2520, LogLevel.Debug, "Another node has notified of a change of an invalid path.")]
    public static partial void NameUnreadable(ILogger logger, Exception exception);
}
