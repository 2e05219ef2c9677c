using Microsoft.Extensions.Logging;

namespace CoAP.NET;

internal static partial class Log
{
    [LoggerMessage(1710, LogLevel.Debug, "{Target} takes blocks of {Size} bytes; uploads to it go on with that.")]
    public static partial void SmallerBlocks(ILogger logger, string target, int size);

    [LoggerMessage(1711, LogLevel.Debug, "{Target} answered {Code} to a part of an upload; it is sent again from the beginning.")]
    public static partial void UploadRestarted(ILogger logger, string target, CoapCode code);

    [LoggerMessage(1712, LogLevel.Debug, "{Target} changed the representation while it was downloaded; the download begins again.")]
    public static partial void DownloadRestarted(ILogger logger, string target);

    [LoggerMessage(1713, LogLevel.Debug, "{Target} {Why}")]
    public static partial void ResponseBlockRefused(ILogger logger, string target, string why);
}
