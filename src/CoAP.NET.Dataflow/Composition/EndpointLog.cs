using Microsoft.Extensions.Logging;

namespace CoAP.NET.Composition;

/// <summary>Log messages of an endpoint as a whole.</summary>
internal static partial class EndpointLog
{
    [LoggerMessage(1601, LogLevel.Critical, "The endpoint stops because of a fault.")]
    public static partial void EndpointFaulted(ILogger logger, Exception exception);

    [LoggerMessage(1602, LogLevel.Warning,
        "The grace period ended while {Count} requests were still running. Their handlers are cancelled, and they are answered 5.03.")]
    public static partial void GraceEnded(ILogger logger, int count);

    [LoggerMessage(1607, LogLevel.Error, "An error occurred while the endpoint closed. The rest of it still closes.")]
    public static partial void ClosingFailed(ILogger logger, Exception exception);

    [LoggerMessage(1608, LogLevel.Information, "{Endpoint} listens on {Uri}.")]
    public static partial void NamedListening(ILogger logger, string endpoint, string uri);

    [LoggerMessage(1604, LogLevel.Information, "Listening on {Uri}.")]
    public static partial void Listening(ILogger logger, string uri);

    [LoggerMessage(1612, LogLevel.Information,
        "The server sets no address, so it listens on loopback only, and other machines do not reach it. {Remedy}")]
    public static partial void ListensOnLoopback(ILogger logger, string remedy);

    [LoggerMessage(1606, LogLevel.Warning, "A CoapClient was collected without being disposed; its sockets stay open until the process "
        + "ends. Dispose clients, and keep one for the whole program.")]
    public static partial void ClientForgotten(ILogger logger);

    [LoggerMessage(1605, LogLevel.Debug, "A datagram of {Length} bytes to {Remote} could not be sent: {Reason}")]
    public static partial void SendFailed(ILogger logger, int length, string remote, string reason);
}
