using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tables;

/// <summary>The log of tables: id 2580.</summary>
internal static partial class TableLog
{
    [LoggerMessage(2580, LogLevel.Error,
        "The rules of a table threw an exception for the change of {Key}; the change has taken place. Logged at most once a "
        + "minute.")]
    public static partial void RulesFailed(ILogger logger, CoapTableKey key, Exception exception);
}
