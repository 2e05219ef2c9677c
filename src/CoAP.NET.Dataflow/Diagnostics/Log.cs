using Microsoft.Extensions.Logging;

namespace CoAP.NET.Diagnostics;

/// <summary>
/// Log messages of several areas; each area has a class for its own. Errors of peers are Debug, errors of this library are Error.
/// <see cref="LogCategory.Of"/> maps ids to areas. Payloads are never logged.
/// </summary>
internal static partial class Log
{
    [LoggerMessage(1600, LogLevel.Error,
        "A stage failed with an unexpected exception. Its current message is dropped and counted; the pipeline continues.")]
    public static partial void StageFailed(ILogger logger, Exception exception);

    [LoggerMessage(1620, LogLevel.Error, "A listener of metrics or traces failed. This does not affect the measured request.")]
    public static partial void ListenerFailed(ILogger logger, Exception exception);

    [LoggerMessage(1621, LogLevel.Error, "A trace could not be written; it has ended.")]
    public static partial void TraceFailed(ILogger logger, Exception exception);

    [LoggerMessage(1763, LogLevel.Error, "A handler of {Event} failed. This affects nothing else.")]
    public static partial void PeerHandlerFailed(ILogger logger, Exception exception, string @event);
}
