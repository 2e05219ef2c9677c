using CoAP.NET.Cluster.Maps;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Tables;

/// <summary>The log of tables between nodes: id 2581.</summary>
internal static partial class ClusterTableLog
{
    [LoggerMessage(2581, LogLevel.Error,
        "The rules of a table threw an exception for a question about {Key} from node {Node}; that node got an error. Logged at most once "
            + "a minute.")]
    public static partial void QuestionFailed(ILogger logger, CoapNodeId node, CoapTableKey key, Exception exception);
}
