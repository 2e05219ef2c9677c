using CoAP.NET.Dtls.Sessions;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Dtls.Transport;

/// <summary>The log messages of sessions; never with a key or a message.</summary>
internal static partial class DtlsLog
{
    [LoggerMessage(2100, LogLevel.Debug, "A session with {Remote} is open: {Suite}, {Identity}.")]
    public static partial void Opened(ILogger logger, string remote, string suite, object? identity);

    [LoggerMessage(2101, LogLevel.Debug, "The session with {Remote} has ended: {Reason}.")]
    public static partial void Closed(ILogger logger, string remote, DtlsSessionEndReason reason);

    [LoggerMessage(2102, LogLevel.Information,
        "A handshake with the client {Remote} failed; it claimed the identity '{Identity}'. {Reason} {LeftOut} more were not logged since "
        + "the last one: at most 20 per minute are; coap.server.handshake_failures counts each.")]
    public static partial void HandshakeFailed(ILogger logger, string remote, string identity, string reason, long leftOut);

    [LoggerMessage(2115, LogLevel.Information,
        "The client {Remote} claims the identity '{Identity}' and has another key than the key store. The handshake fails at its timeout "
        + "unless a record with the right key arrives. {LeftOut} more were not logged since the last one: at most 20 per minute are.")]
    public static partial void WrongProof(ILogger logger, string remote, string identity, long leftOut);

    [LoggerMessage(2109, LogLevel.Information, "The handshake with the server {Remote} failed: {Reason}")]
    public static partial void ConnectFailed(ILogger logger, string remote, string reason);

    [LoggerMessage(2110, LogLevel.Error,
        "{Callback} threw an exception during a handshake with {Remote}, which failed. Repair the callback. {LeftOut} more such exceptions "
        + "were not logged since the last one: logged at most once per minute; coap.server.handshake_failures counts each.")]
    public static partial void CallbackFailed(ILogger logger, Exception exception, string callback, string remote, long leftOut);

    [LoggerMessage(2111, LogLevel.Error,
        "{Store} threw an exception; clients make full handshakes instead of resuming their sessions. {LeftOut} more such exceptions were "
        + "not logged since the last one: logged at most once per minute; coap.dtls.resumption_failures counts each.")]
    public static partial void ResumptionStoreFailed(ILogger logger, Exception exception, string store, long leftOut);

    [LoggerMessage(2112, LogLevel.Information,
        "The session with {Remote} is not continued, because the server does not accept the credentials of {Identity} any more. The client "
        + "makes a full handshake.")]
    public static partial void Withdrawn(ILogger logger, string remote, object? identity);

    [LoggerMessage(2113, LogLevel.Error,
        "{Callback} threw an exception when the server checked the credentials of {Remote} again. Its loaded session waits for the next "
        + "check. Repair the callback. {LeftOut} more such exceptions were not logged since the last one: logged at most once per minute.")]
    public static partial void CheckFailed(ILogger logger, Exception exception, string callback, string remote, long leftOut);

    [LoggerMessage(2104, LogLevel.Information, "Took over {Count} sessions from {Backup}.")]
    public static partial void SessionsLoaded(ILogger logger, int count, string backup);

    [LoggerMessage(2105, LogLevel.Warning,
        "Some sessions in {Backup} were not taken over; clients of those that it does not load later open new ones: {Reason}")]
    public static partial void SessionsNotLoaded(ILogger logger, Exception? exception, string backup, string reason);

    [LoggerMessage(2106, LogLevel.Warning, "The sessions were not saved to {Backup}, so clients open new ones: {Reason}")]
    public static partial void SessionsNotSaved(ILogger logger, Exception exception, string backup, string reason);

    [LoggerMessage(2107, LogLevel.Warning,
        "{Backup} did not save changes of sessions, and the server retries; a crash now costs handshakes: {Reason}")]
    public static partial void SessionsNotBackedUp(ILogger logger, Exception exception, string backup, string reason);

    [LoggerMessage(2108, LogLevel.Error, "The steering of sessions threw an exception, which it must not do; the server does not relay "
        + "the datagram. {LeftOut} more such exceptions were not logged since the last one: logged at most once per minute.")]
    public static partial void SteeringFailed(ILogger logger, Exception exception, long leftOut);

    [LoggerMessage(2114, LogLevel.Trace, "Handshake with {Remote}: {Direction} {Message}, {Length} bytes. {Detail}")]
    public static partial void Handshake(ILogger logger, string remote, string direction, string message, int length, string detail);

    [LoggerMessage(2103, LogLevel.Debug, "A datagram to {Remote} was not sent: {Reason}")]
    public static partial void SendFailed(ILogger logger, string remote, string reason);
}
