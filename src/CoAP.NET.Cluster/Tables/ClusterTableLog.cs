using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>The log of tables between nodes: ids 2581 and 2582.</summary>
internal static partial class ClusterTableLog
{
    [LoggerMessage(2581, LogLevel.Error,
        "The rules of a table threw an exception for a question about {Key} from node {Node}; that node got an error. Logged at most once "
            + "a minute.")]
    public static partial void QuestionFailed(ILogger logger, CoapNodeId node, CoapTableKey key, Exception exception);

    [LoggerMessage(2582, LogLevel.Debug,
        "The changes of a table at node {Node} could not be received: {Reason} This node retries, and shows the state that it received "
            + "last.")]
    public static partial void NotHeard(ILogger logger, CoapNodeId node, string reason);
}
