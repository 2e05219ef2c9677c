using Microsoft.Extensions.Logging;

namespace CoAP.NET.Edhoc.Coap;

/// <summary>The log messages of sessions: identities and reasons, never a key or a message.</summary>
internal static partial class EdhocLog
{
    [LoggerMessage(2400, LogLevel.Debug, "{Client} has proven to be {Identity}: {Method}, {Suite}.")]
    public static partial void SessionEstablished(ILogger logger, string client, object identity, EdhocMethod method, string suite);

    [LoggerMessage(2401, LogLevel.Debug, "EDHOC with {Client} failed: {Reason}")]
    public static partial void SessionFailed(ILogger logger, string client, string reason);

    [LoggerMessage(2402, LogLevel.Information,
        "All places for sessions that {Client} may have are in use; it has to come back in {Delay}.")]
    public static partial void Busy(ILogger logger, string client, TimeSpan delay);

    [LoggerMessage(2403, LogLevel.Error, "The application failed while {Client} agreed on keys. The client gets 5.00. {LeftOut} more such "
        + "failures were not logged since the last one: logged at most once per minute.")]
    public static partial void ApplicationFailed(ILogger logger, Exception exception, string client, long leftOut);
}
