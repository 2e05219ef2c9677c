using Microsoft.Extensions.Logging;

namespace CoAP.NET;

/// <content>The pipeline: 1610 to 1619.</content>
internal static partial class Log
{
    [LoggerMessage(1610, LogLevel.Error, "A linked block faulted while the block before it is open. What is meant for it gets lost.")]
    public static partial void LinkedTargetFaulted(ILogger logger, Exception exception);

    [LoggerMessage(1611, LogLevel.Warning,
        "A linked block ended while the block before it is open. What is meant for it is dropped and counted.")]
    public static partial void LinkedTargetEnded(ILogger logger);
}
