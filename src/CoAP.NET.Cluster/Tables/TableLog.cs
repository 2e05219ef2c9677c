using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>The log of tables: ids from 2580.</summary>
internal static partial class TableLog
{
    [LoggerMessage(2580, LogLevel.Error,
        "The rules of a table failed when they were told of the change of {Key}; the change has taken place. Logged at most once a "
        + "minute.")]
    public static partial void RulesFailed(ILogger logger, CoapTableKey key, Exception exception);

    [LoggerMessage(2581, LogLevel.Error,
        "The rules of a table failed to decide about {Key}, as node {Node} asked; that node was told so. Logged at most once a minute.")]
    public static partial void QuestionFailed(ILogger logger, CoapNodeId node, CoapTableKey key, Exception exception);

    [LoggerMessage(2582, LogLevel.Debug,
        "What changes in a table at node {Node} could not be heard: {Reason} This node asks again, and shows what it heard last.")]
    public static partial void NotHeard(ILogger logger, CoapNodeId node, string reason);
}
