using Microsoft.Extensions.Logging;

namespace CoAP.NET;

internal static partial class Log
{
    [LoggerMessage(1730, LogLevel.Debug, "{Target} is not observed at the moment: {Reason}")]
    public static partial void ObservationLost(ILogger logger, object target, string reason);

    [LoggerMessage(1731, LogLevel.Error,
        "The callback for notifications or states of {Target} failed. The observation continues.")]
    public static partial void ObserverFailed(ILogger logger, Exception exception, object target);
}
