using Microsoft.Extensions.Logging;

namespace CoAP.NET;

internal static partial class MeshLog
{
    [LoggerMessage(1610, LogLevel.Error, "A linked block faulted while the block before it is open. Items for it are lost.")]
    public static partial void LinkedTargetFaulted(ILogger logger, Exception exception);

    [LoggerMessage(1611, LogLevel.Warning,
        "A linked block completed while the block before it is open. Items for it are dropped and counted.")]
    public static partial void LinkedTargetEnded(ILogger logger);
}
