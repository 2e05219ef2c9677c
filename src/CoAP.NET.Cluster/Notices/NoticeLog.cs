using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>What is logged of changes that nodes tell each other, with ids from 2519 on.</summary>
internal static partial class NoticeLog
{
    [LoggerMessage(2519, LogLevel.Warning,
        "Node {Other} could not be told of changes, or of what is observed here: {Reason} It is tried again, and nothing is lost; said at "
        + "most once a minute.")]
    public static partial void NoticeFailed(ILogger logger, CoapNodeId other, string reason);

    [LoggerMessage(2520, LogLevel.Debug, "Another node told of a change of a path that cannot be read.")]
    public static partial void NameUnreadable(ILogger logger, Exception exception);
}
