using CoAP.NET.Cluster.Maps;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Notifications;

/// <summary>The log of changes that nodes notify each other of: id 2591.</summary>
internal static partial class ClusterNotificationLog
{
    [LoggerMessage(2591, LogLevel.Warning,
        "Node {Node} could not be notified of changes: {Reason} This node retries, and no change is lost. Logged at most once a minute.")]
    public static partial void NotNotified(ILogger logger, CoapNodeId node, string reason);
}
