using Microsoft.Extensions.Logging;

namespace CoAP.NET;

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

    [LoggerMessage(1603, LogLevel.Warning,
        "The block {Place} of shard {Shard} was not empty when the time to stop was over. Requests in it get 5.03 where this is possible; "
            + "items that leave it later count as Declined. Check what its items wait for, or set a longer StopGracePeriod.")]
    public static partial void BlockDidNotComplete(ILogger logger, string place, int shard);

    [LoggerMessage(1609, LogLevel.Warning,
        "User code that the stage {Stage} of shard {Shard} called had not returned when the time to stop was over. The endpoint closes "
            + "without it. Check what the code waits for, or set a longer StopGracePeriod.")]
    public static partial void StageDidNotComplete(ILogger logger, string stage, int shard);

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
