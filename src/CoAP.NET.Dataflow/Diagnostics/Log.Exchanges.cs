using Microsoft.Extensions.Logging;

namespace CoAP.NET;

internal static partial class Log
{
    [LoggerMessage(1400, LogLevel.Error,
        "The response of {Path} takes {Size} bytes, more than the {Limit} that fit one message to this peer; 5.00 was sent instead.")]
    public static partial void ResponseTooLarge(ILogger logger, string path, long size, int limit);

    [LoggerMessage(1401, LogLevel.Debug,
        "A response of {Size} bytes is more than the {Limit} that {Channel} takes by its CSM, and it takes no blocks; 5.00 was sent "
            + "instead.")]
    public static partial void PeerTakesLess(ILogger logger, CoapChannel channel, long size, int limit);
}
