using Microsoft.Extensions.Logging;

namespace CoAP.NET.Execution;

/// <summary>Log messages of threads that receive.</summary>
internal static partial class ReceiveLog
{
    [LoggerMessage(1002, LogLevel.Debug, "User code blocked the receiving thread; a stand-by thread took over.")]
    public static partial void HandedOver(ILogger logger);

    [LoggerMessage(1003, LogLevel.Warning,
        "User code blocks the receiving thread, and no thread is left to take over; nothing is received until one returns. Handlers "
            + "should await instead of blocking.")]
    public static partial void NoStandbyThread(ILogger logger);

    [LoggerMessage(1004, LogLevel.Error, "The receive loop had an unexpected exception and continues.")]
    public static partial void ReceiveLoopFailed(ILogger logger, Exception exception);
}
