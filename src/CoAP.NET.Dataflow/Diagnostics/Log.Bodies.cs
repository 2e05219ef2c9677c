using CoAP.NET.Resources;
using Microsoft.Extensions.Logging;

namespace CoAP.NET;

// Bodies in blocks: 1540 to 1559.
internal static partial class Log
{
    [LoggerMessage(1540, LogLevel.Debug, "{Channel}: a request with Block1 {Block1}, Block2 {Block2} is answered {Code}.")]
    public static partial void BlockRefused(ILogger logger, CoapChannel channel, string? block1, string? block2, CoapCode code);

    [LoggerMessage(1541, LogLevel.Warning,
        "The response of {Path} has {Size} bytes, and there is no room for it among the block-wise responses: the limit is {Bound}. Its "
            + "later blocks are answered 4.08, because the request is not executed twice. Raise the limit, or send a smaller response. Logged once per "
            + "minute.")]
    public static partial void AnswerNotKept(ILogger logger, string path, long size, string bound);

    [LoggerMessage(1542, LogLevel.Warning,
        "The response of {Path} has {Size} bytes, and there is now no room for it among the block-wise responses, so {Channel} gets "
            + "{Code} and has to try again: the limit is {Bound}. Raise the limit, or respond with CoapResults.File or "
            + "CoapResults.Stream, which need no memory. Logged once per minute.")]
    public static partial void AnswerRefused(ILogger logger, string path, long size, CoapChannel channel, string code, string bound);

    [LoggerMessage(1543, LogLevel.Error,
        "The response of {Path} has {Size} bytes, and there will never be room for it among the block-wise responses, so it is "
            + "replaced by 5.00: the limit is {Bound}. Respond with CoapResults.File or CoapResults.Stream, which need no memory, or raise the "
            + "limit. Logged once per minute.")]
    public static partial void AnswerNeverFits(ILogger logger, string path, long size, string bound);

    [LoggerMessage(1544, LogLevel.Warning,
        "The stream in the response of the handler of {Route} could not be closed. This does not affect any response.")]
    public static partial void StreamNotClosed(ILogger logger, RouteTemplate route, Exception exception);

    [LoggerMessage(1545, LogLevel.Warning,
        "A body for {Path} was refused with 4.13: its route accepts {MaxBodySize} bytes, but a body that is assembled in memory has at most "
            + "{Max}, the share of one source (CoapLimits.PeerAssemblyShare of CoapLimits.MaxAssemblyBytes). Raise these, or read the body "
            + "with StreamBody(). Logged once per minute.")]
    public static partial void BodySizeCapped(ILogger logger, string path, long maxBodySize, long max);
}
