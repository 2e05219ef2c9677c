using Microsoft.Extensions.Logging;

namespace CoAP.NET;

/// <summary>
/// Every log message of the library, with a stable id. Errors of peers are Debug, errors of this library are Error. Ranges: 1000
/// transports, 1100 channels, 1200 serializers, 1300 messaging, 1400 exchanges, 1500 resources, 1600 pipeline and endpoint, 1700 client.
/// Payloads are never logged.
/// </summary>
internal static partial class Log
{
    [LoggerMessage(1600, LogLevel.Error,
        "A stage failed with an unexpected exception. Its current message is dropped and counted; the pipeline continues.")]
    public static partial void StageFailed(ILogger logger, Exception exception);
}
