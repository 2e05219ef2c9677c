using Microsoft.Extensions.Logging;

namespace CoAP.NET;

// 1620 to 1629.
internal static partial class Log
{
    [LoggerMessage(1620, LogLevel.Error, "A listener of metrics or traces failed. This does not affect the measured request.")]
    public static partial void ListenerFailed(ILogger logger, Exception exception);

    [LoggerMessage(1621, LogLevel.Error, "A trace could not be written; it has ended.")]
    public static partial void TraceFailed(ILogger logger, Exception exception);
}
