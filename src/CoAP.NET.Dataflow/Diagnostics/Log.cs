using Microsoft.Extensions.Logging;

namespace CoAP.NET;

/// <summary>
/// Every log message of the library, with a stable id. Peers' mistakes are Debug, ours are Error. Ranges: 1000 transports, 1100 channels,
/// 1200 serializers, 1300 messaging, 1400 exchanges, 1500 resources, 1600 pipeline and endpoint, 1700 client. Payloads are never logged.
/// </summary>
internal static partial class Log
{
    [LoggerMessage(1600, LogLevel.Error,
        "A stage failed with an unexpected exception. The message it worked on is dropped and counted; the pipeline goes on.")]
    public static partial void StageFailed(ILogger logger, Exception exception);
}
