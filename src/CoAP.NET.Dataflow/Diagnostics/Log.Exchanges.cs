using Microsoft.Extensions.Logging;

namespace CoAP.NET;

internal static partial class Log
{
    [LoggerMessage(1400, LogLevel.Error,
        "The response of {Path} has {Size} bytes, more than the {Limit} that fit into one message to this peer; 5.00 was sent instead.")]
    public static partial void ResponseTooLarge(ILogger logger, string path, long size, int limit);

    [LoggerMessage(1401, LogLevel.Debug,
        "A response of {Size} bytes exceeds the limit of {Limit} in the CSM of {Channel}, which supports no blocks; 5.00 was sent "
            + "instead.")]
    public static partial void PeerTakesLess(ILogger logger, CoapChannel channel, long size, int limit);
}
