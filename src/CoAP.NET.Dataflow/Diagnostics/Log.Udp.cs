using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET;

internal static partial class Log
{
    [LoggerMessage(1000, LogLevel.Debug, "UDP: bound {Address}, engine {Engine}, {Sockets} socket(s).")]
    public static partial void UdpBound(ILogger logger, CoapAddress address, CoapUdpEngine engine, int sockets);

    [LoggerMessage(1001, LogLevel.Debug, "UDP: the receive buffer of {Address} is {Granted} bytes, {Asked} were asked.")]
    public static partial void ReceiveBufferGranted(ILogger logger, CoapAddress address, int granted, int asked);

    [LoggerMessage(1002, LogLevel.Debug, "User code blocked the thread that receives; a stand-by took over.")]
    public static partial void HandedOver(ILogger logger);

    [LoggerMessage(1003, LogLevel.Warning,
        "User code blocks the thread that receives and no thread is left to take over; nothing is received until one comes back. Handlers "
            + "should await instead of blocking.")]
    public static partial void NoStandbyThread(ILogger logger);

    [LoggerMessage(1004, LogLevel.Error, "The receive loop met an unexpected exception and goes on.")]
    public static partial void ReceiveLoopFailed(ILogger logger, Exception exception);

    [LoggerMessage(1005, LogLevel.Debug, "UDP: a datagram to {Remote} could not be sent: {Error}.")]
    public static partial void UdpSendFailed(ILogger logger, CoapAddress remote, string error);

    [LoggerMessage(1006, LogLevel.Warning, "UDP: the group {Group} could not be joined on interface {Interface}: {Error}.")]
    public static partial void MulticastJoinFailed(ILogger logger, System.Net.IPAddress group, int @interface, string error);

    [LoggerMessage(1007, LogLevel.Error, "UDP: receiving on {Address} fails: {Error}. It is tried again; said at most once a minute.")]
    public static partial void UdpReceiveFailed(ILogger logger, CoapAddress address, string error);

    [LoggerMessage(1008, LogLevel.Debug, "UDP: the kernel dropped {Count} datagram(s) for {Address}; the receive buffer was full.")]
    public static partial void KernelDropped(ILogger logger, uint count, CoapAddress address);

    [LoggerMessage(1009, LogLevel.Warning,
        "UDP: the operating system refuses to send, such as to {Remote}: {Error}. Confirmable messages are sent again. This is said at "
            + "most once a minute; SendErrors counts each.")]
    public static partial void UdpSendFailing(ILogger logger, CoapAddress remote, string error);

    [LoggerMessage(1010, LogLevel.Information, "UDP: the group {Group} was joined on interface {Interface}, which was not there before.")]
    public static partial void MulticastRejoined(ILogger logger, System.Net.IPAddress group, int @interface);

    [LoggerMessage(1011, LogLevel.Warning, "UDP: interfaces cannot be watched, so groups are not joined on new ones: {Error}.")]
    public static partial void InterfacesNotWatched(ILogger logger, string error);

    [LoggerMessage(1012, LogLevel.Debug, "UDP: groups could not be joined after interfaces changed: {Error}.")]
    public static partial void InterfacesNotReady(ILogger logger, string error);

    [LoggerMessage(1013, LogLevel.Warning,
        "UDP: DTLS records to the shared port {Address} are not brought to the process that has their slot: {Reason} They come to any of "
            + "the processes by hash, and those of a cluster relay them to each other: nothing is lost, each relay costs time. {Advice} "
            + "This is said once until it works; SlotTablesRefused counts each.")]
    public static partial void SlotTableRefused(ILogger logger, CoapAddress address, string reason, string advice);
}
