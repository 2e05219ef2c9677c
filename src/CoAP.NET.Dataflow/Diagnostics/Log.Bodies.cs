using CoAP.NET.Resources;
using Microsoft.Extensions.Logging;

namespace CoAP.NET;

// Bodies in blocks: 1540 to 1559.
internal static partial class Log
{
    [LoggerMessage(1540, LogLevel.Debug, "{Channel}: a request with Block1 {Block1}, Block2 {Block2} is answered {Code}.")]
    public static partial void BlockRefused(ILogger logger, CoapChannel channel, string? block1, string? block2, CoapCode code);

    [LoggerMessage(1541, LogLevel.Warning,
        "The answer of {Path} has {Size} bytes and finds no room among the answers that are fetched block by block: there are {Bound}. Its "
            + "later blocks will be answered 4.08, as the request is not carried out twice. Raise the bound, or answer less. Told once a "
            + "minute.")]
    public static partial void AnswerNotKept(ILogger logger, string path, long size, string bound);

    [LoggerMessage(1542, LogLevel.Warning,
        "The answer of {Path} has {Size} bytes and finds no room now among the answers that are fetched block by block, so {Channel} is "
            + "answered {Code} and has to come again: there are {Bound}. Raise the bound, or answer with CoapResults.File or "
            + "CoapResults.Stream, which take no memory. Told once a minute.")]
    public static partial void AnswerRefused(ILogger logger, string path, long size, CoapChannel channel, string code, string bound);

    [LoggerMessage(1543, LogLevel.Error,
        "The answer of {Path} has {Size} bytes and will never find room among the answers that are fetched block by block, so it is "
            + "answered 5.00: there are {Bound}. Answer with CoapResults.File or CoapResults.Stream, which take no memory, or raise the "
            + "bound. Told once a minute.")]
    public static partial void AnswerNeverFits(ILogger logger, string path, long size, string bound);

    [LoggerMessage(1544, LogLevel.Warning,
        "The stream that the handler of {Route} answered with could not be closed. That changes no answer.")]
    public static partial void StreamNotClosed(ILogger logger, RouteTemplate route, Exception exception);

    [LoggerMessage(1545, LogLevel.Warning,
        "A body for {Path} was refused by 4.13: its route takes {MaxBodySize} bytes, but a body that is put together in memory has at most "
            + "{Max}, the share of one source (CoapLimits.PeerAssemblyShare of CoapLimits.MaxAssemblyBytes). Raise these, or take the body "
            + "by StreamBody(). Told once a minute.")]
    public static partial void BodySizeCapped(ILogger logger, string path, long maxBodySize, long max);
}
