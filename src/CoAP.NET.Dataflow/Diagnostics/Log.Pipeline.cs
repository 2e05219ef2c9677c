using Microsoft.Extensions.Logging;

namespace CoAP.NET;

/// <content>Pipeline and endpoint: 1600.</content>
internal static partial class Log
{
    [LoggerMessage(1601, LogLevel.Error, "A linked block faulted while the block before it is open. What is meant for it gets lost.")]
    public static partial void LinkedTargetFaulted(ILogger logger, Exception exception);

    [LoggerMessage(1602, LogLevel.Warning, "A linked block ended while the block before it is open. What is meant for it is dropped and counted.")]
    public static partial void LinkedTargetEnded(ILogger logger);
}
