using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET;

internal static partial class Log
{
    [LoggerMessage(1010, LogLevel.Debug, "TCP: listening on {Address}, engine {Engine}.")]
    public static partial void TcpBound(ILogger logger, CoapAddress address, CoapTcpEngine engine);

    [LoggerMessage(1011, LogLevel.Error, "TCP: connections to {Address} cannot be accepted: {Error}. It is tried again; raise the limit of open files, or lower MaxConnections.")]
    public static partial void AcceptFailed(ILogger logger, CoapAddress address, string error);
}
