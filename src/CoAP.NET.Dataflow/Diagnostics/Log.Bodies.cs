using CoAP.NET.Channels;
using Microsoft.Extensions.Logging;

namespace CoAP.NET;

// Bodies in blocks: 1540 to 1559.
internal static partial class Log
{
    [LoggerMessage(1540, LogLevel.Debug, "{Channel}: a request with Block1 {Block1}, Block2 {Block2} is answered {Code}.")]
    public static partial void BlockRefused(ILogger logger, CoapChannel channel, string? block1, string? block2, CoapCode code);

    [LoggerMessage(1541, LogLevel.Warning, "The answer of {Path} has {Size} bytes and finds no room among the answers that are fetched block by block, so its later blocks will be answered 4.08. Raise CoapLimits.MaxRepresentationBytes, or answer less.")]
    public static partial void AnswerNotKept(ILogger logger, string path, int size);
}
