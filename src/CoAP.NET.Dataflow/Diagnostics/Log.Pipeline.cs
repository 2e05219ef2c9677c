using Microsoft.Extensions.Logging;

namespace CoAP.NET;

/// <content>The pipeline: 1610 to 1619.</content>
internal static partial class Log
{
    [LoggerMessage(1610, LogLevel.Error, "A linked block faulted while the block before it is open. Items for it are lost.")]
    public static partial void LinkedTargetFaulted(ILogger logger, Exception exception);

    [LoggerMessage(1611, LogLevel.Warning,
        "A linked block completed while the block before it is open. Items for it are dropped and counted.")]
    public static partial void LinkedTargetEnded(ILogger logger);
}
