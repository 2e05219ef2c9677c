using Microsoft.Extensions.Logging;

namespace CoAP.NET;

internal static partial class Log
{
    [LoggerMessage(1710, LogLevel.Debug, "{Target} accepts blocks of {Size} bytes; uploads to it continue with this size.")]
    public static partial void SmallerBlocks(ILogger logger, string target, int size);

    [LoggerMessage(1711, LogLevel.Debug, "{Target} answered {Code} to a part of an upload; it restarts from the beginning.")]
    public static partial void UploadRestarted(ILogger logger, string target, CoapCode code);

    [LoggerMessage(1712, LogLevel.Debug, "{Target} changed the representation during the download; the download restarts.")]
    public static partial void DownloadRestarted(ILogger logger, string target);

    [LoggerMessage(1713, LogLevel.Debug, "{Target} {Why}")]
    public static partial void ResponseBlockRefused(ILogger logger, string target, string why);
}
