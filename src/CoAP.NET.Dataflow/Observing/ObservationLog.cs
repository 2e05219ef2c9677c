using Microsoft.Extensions.Logging;

namespace CoAP.NET.Observing;

/// <summary>Log messages of observations.</summary>
internal static partial class ObservationLog
{
    [LoggerMessage(1730, LogLevel.Debug, "{Target} is not observed at the moment: {Reason}")]
    public static partial void ObservationLost(ILogger logger, object target, string reason);

    [LoggerMessage(1731, LogLevel.Error,
        "The callback for notifications or states of {Target} failed. The observation continues.")]
    public static partial void ObserverFailed(ILogger logger, Exception exception, object target);

    [LoggerMessage(1732, LogLevel.Warning,
        "{Target} is not observed: {Reason} Observations of this endpoint without a registration: {Lost}. Logged at most once per minute.")]
    public static partial void ObservationBroken(ILogger logger, string target, string reason, long lost);

    [LoggerMessage(1733, LogLevel.Information,
        "{Target} is observed again. Observations of this endpoint without a registration: {Lost}. Logged at most once per minute.")]
    public static partial void ObservationRecovered(ILogger logger, string target, long lost);
}
