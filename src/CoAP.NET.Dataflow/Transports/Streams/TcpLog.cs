using Microsoft.Extensions.Logging;

namespace CoAP.NET.Transports.Streams;

/// <summary>Log messages of TCP, TLS and WebSockets.</summary>
internal static partial class TcpLog
{
    [LoggerMessage(1020, LogLevel.Debug, "TCP: bound {Address}, engine {Engine}, TLS {UseTls}.")]
    public static partial void TcpBound(ILogger logger, CoapAddress address, CoapSocketEngine engine, bool useTls);

    [LoggerMessage(1021, LogLevel.Error,
        "TCP: accepting on {Address} fails: {Error}. It is retried, and logged at most once per minute. With too many open files: close "
            + "connections or raise the limit of the process.")]
    public static partial void AcceptFailed(ILogger logger, CoapAddress address, string error);

    [LoggerMessage(1022, LogLevel.Debug, "TLS: the handshake with {Remote} failed: {Reason}")]
    public static partial void HandshakeFailed(ILogger logger, CoapAddress remote, string reason);

    [LoggerMessage(1023, LogLevel.Error, "TCP: an unexpected exception prevented the setup of a connection. The connection is closed.")]
    public static partial void ConnectionSetupFailed(ILogger logger, Exception exception);

    [LoggerMessage(1025, LogLevel.Error,
        "The Accept callback of a CoapDuplexPipeTransport failed. It is called again after a pause; logged at most once per minute.")]
    public static partial void AcceptCallbackFailed(ILogger logger, Exception exception);

    [LoggerMessage(1026, LogLevel.Information,
        "TLS: the handshake with the client {Remote}, which claimed the identity '{Identity}', failed: {Reason} ({LeftOut} more were not "
            + "logged since the last one: at most 20 per minute are; coap.server.handshake_failures counts each)")]
    public static partial void ClientRefused(ILogger logger, CoapAddress remote, string identity, string reason, long leftOut);

    [LoggerMessage(1027, LogLevel.Error,
        "TLS: {Callback} threw an exception during a handshake with {Remote}, which failed. Repair the callback. {LeftOut} more such "
            + "exceptions were not logged since the last one: logged at most once per minute; coap.server.handshake_failures counts each.")]
    public static partial void TlsCallbackFailed(ILogger logger, Exception exception, string callback, CoapAddress remote, long leftOut);

    [LoggerMessage(1028, LogLevel.Information,
        "TCP: the engine LinuxLoop cannot be used here: {Reason} The engine Portable is used, which needs more processor time.")]
    public static partial void TcpFallsBack(ILogger logger, string reason);
}
