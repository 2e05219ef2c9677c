using CoAP.NET.Dtls.Sessions;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Dtls.Transport;

/// <summary>The log messages of sessions; never with a key or a message.</summary>
internal static partial class DtlsLog
{
    [LoggerMessage(2100, LogLevel.Debug, "A session with {Remote} is open: {Suite}, {Identity}.")]
    public static partial void Opened(ILogger logger, string remote, string suite, object? identity);

    [LoggerMessage(2101, LogLevel.Debug, "The session with {Remote} has ended: {Reason}.")]
    public static partial void Closed(ILogger logger, string remote, DtlsEnd reason);

    [LoggerMessage(2102, LogLevel.Information, "A handshake with {Remote} failed: {Reason}")]
    public static partial void HandshakeFailed(ILogger logger, string remote, string reason);

    [LoggerMessage(2104, LogLevel.Information, "Took over {Count} sessions from {Keeper}.")]
    public static partial void SessionsLoaded(ILogger logger, int count, string keeper);

    [LoggerMessage(2105, LogLevel.Warning,
        "Some sessions in {Keeper} were not taken over; clients of those that it does not load later open new ones: {Reason}")]
    public static partial void SessionsNotLoaded(ILogger logger, string keeper, string reason);

    [LoggerMessage(2106, LogLevel.Warning, "The sessions were not saved to {Keeper}, so clients open new ones: {Reason}")]
    public static partial void SessionsNotSaved(ILogger logger, string keeper, string reason);

    [LoggerMessage(2107, LogLevel.Warning,
        "{Keeper} did not keep changes of sessions, and the server retries; a crash now costs handshakes: {Reason}")]
    public static partial void SessionsNotKept(ILogger logger, string keeper, string reason);

    [LoggerMessage(2108, LogLevel.Error, "The steering of sessions threw an exception, which it must not do; the server does not relay "
        + "the datagram.")]
    public static partial void SteeringFailed(ILogger logger, Exception exception);

    [LoggerMessage(2103, LogLevel.Debug, "A datagram to {Remote} was not sent: {Reason}")]
    public static partial void SendFailed(ILogger logger, string remote, string reason);
}
