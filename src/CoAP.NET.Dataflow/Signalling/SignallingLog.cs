using Microsoft.Extensions.Logging;

namespace CoAP.NET.Signalling;

/// <summary>Log messages of signalling (RFC 8323 section 5).</summary>
internal static partial class SignallingLog
{
    [LoggerMessage(1380, LogLevel.Debug, "The connection to {Channel} has ended: {Error}.")]
    public static partial void ConnectionEnded(ILogger logger, CoapChannel channel, CoapError error);

    [LoggerMessage(1381, LogLevel.Debug,
        "{Channel} requested the end of the connection with Release, and no new connection for {HoldOff} s.")]
    public static partial void ConnectionReleased(ILogger logger, CoapChannel channel, double holdOff);

    [LoggerMessage(1382, LogLevel.Debug, "The connection to {Channel} is aborted: {Text}")]
    public static partial void ConnectionAborted(ILogger logger, CoapChannel channel, string text);
}
