using Microsoft.Extensions.Logging;

namespace CoAP.NET;

internal static partial class Log
{
    [LoggerMessage(1520, LogLevel.Debug, "A request of {Channel} was refused: {Reason}")]
    public static partial void ArgumentRefused(ILogger logger, string reason, CoapChannel channel);
}
