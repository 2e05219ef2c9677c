using Microsoft.Extensions.Logging;

namespace CoAP.NET.Transports.Udp;

/// <summary>Log messages of UDP sockets.</summary>
internal static partial class UdpLog
{
    [LoggerMessage(1000, LogLevel.Debug, "UDP: bound {Address}, engine {Engine}, {Sockets} socket(s).")]
    public static partial void UdpBound(ILogger logger, CoapAddress address, CoapSocketEngine engine, int sockets);

    [LoggerMessage(1001, LogLevel.Debug, "UDP: the receive buffer of {Address} has {Granted} bytes; {Asked} were requested.")]
    public static partial void ReceiveBufferGranted(ILogger logger, CoapAddress address, int granted, int asked);

    [LoggerMessage(1005, LogLevel.Debug, "UDP: a datagram to {Remote} could not be sent: {Error}.")]
    public static partial void UdpSendFailed(ILogger logger, CoapAddress remote, string error);

    [LoggerMessage(1006, LogLevel.Warning, "UDP: the group {Group} could not be joined on interface {Interface}: {Error}.")]
    public static partial void MulticastJoinFailed(ILogger logger, System.Net.IPAddress group, int @interface, string error);

    [LoggerMessage(1007, LogLevel.Error, "UDP: receiving on {Address} fails: {Error}. It is retried; logged at most once per minute.")]
    public static partial void UdpReceiveFailed(ILogger logger, CoapAddress address, string error);

    [LoggerMessage(1008, LogLevel.Debug, "UDP: the kernel dropped {Count} datagram(s) for {Address}; the receive buffer was full.")]
    public static partial void KernelDropped(ILogger logger, uint count, CoapAddress address);

    [LoggerMessage(1009, LogLevel.Warning,
        "UDP: the operating system refuses to send, for example to {Remote}: {Error}. Confirmable messages are retransmitted. Logged at "
            + "most once per minute; SendErrors counts each.")]
    public static partial void UdpSendFailing(ILogger logger, CoapAddress remote, string error);

    [LoggerMessage(1010, LogLevel.Information, "UDP: the group {Group} was joined on the new interface {Interface}.")]
    public static partial void MulticastRejoined(ILogger logger, System.Net.IPAddress group, int @interface);

    [LoggerMessage(1011, LogLevel.Warning, "UDP: interfaces cannot be watched, so groups are not joined on new ones: {Error}.")]
    public static partial void InterfacesNotWatched(ILogger logger, string error);

    [LoggerMessage(1012, LogLevel.Debug, "UDP: groups could not be joined after interfaces changed: {Error}.")]
    public static partial void InterfacesNotReady(ILogger logger, string error);

    [LoggerMessage(1014, LogLevel.Information,
        "UDP: the engine LinuxLoop cannot be used here: {Reason} The engine Portable is used, which needs more processor time.")]
    public static partial void UdpFallsBack(ILogger logger, string reason);

    [LoggerMessage(1450, LogLevel.Information, "UDP: joined the group {Group} on interface {Interface}.")]
    public static partial void MulticastJoined(ILogger logger, System.Net.IPAddress group, int @interface);
}
