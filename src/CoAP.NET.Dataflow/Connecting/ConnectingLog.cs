using Microsoft.Extensions.Logging;

namespace CoAP.NET.Connecting;

/// <summary>Log messages of opening connections and of their peers.</summary>
internal static partial class ConnectingLog
{
    [LoggerMessage(1760, LogLevel.Debug,
        "No connection to {Target} could be opened: {Reason} The next attempt follows in {Wait} at the earliest.")]
    public static partial void ConnectFailed(ILogger logger, string target, string reason, TimeSpan wait);

    [LoggerMessage(1761, LogLevel.Debug, "A connection to {Alternative}, the alternative to {Target}, cannot be opened: {Reason}")]
    public static partial void AlternativeFailed(ILogger logger, string alternative, string target, string reason);

    [LoggerMessage(1762, LogLevel.Information, "Requests to {Target} go to {Address}, because it requested this when it released its "
        + "connection.")]
    public static partial void AlternativeTaken(ILogger logger, string target, string address);

    [LoggerMessage(1764, LogLevel.Debug, "The peer of a session, {Identity}, is now at {Channel}; it was at {From}.")]
    public static partial void PeerMoved(ILogger logger, string identity, object channel, string from);
}
