using Microsoft.Extensions.Logging;

namespace CoAP.NET.Blockwise;

/// <summary>Log messages of block-wise transfers.</summary>
internal static partial class BlockwiseLog
{
    [LoggerMessage(1540, LogLevel.Debug, "{Channel}: a request with Block1 {Block1}, Block2 {Block2} is answered {Code}.")]
    public static partial void BlockRefused(ILogger logger, CoapChannel channel, string? block1, string? block2, CoapCode code);

    [LoggerMessage(1541, LogLevel.Warning,
        "The response of {Path} has {Size} bytes, and there is no room for it among the block-wise responses: the limit is {Bound}. Its "
            + "later blocks are answered 4.08, because the request is not executed twice. Raise the limit, or send a smaller response. "
            + "Logged once per minute.")]
    public static partial void ResponseNotStored(ILogger logger, string path, long size, string bound);

    [LoggerMessage(1542, LogLevel.Warning,
        "The response of {Path} has {Size} bytes, and there is now no room for it among the block-wise responses, so {Channel} gets "
            + "{Code} and has to try again: the limit is {Bound}. Raise the limit, or respond with CoapResults.File or "
            + "CoapResults.Stream, which need no memory. Logged once per minute.")]
    public static partial void AnswerRefused(ILogger logger, string path, long size, CoapChannel channel, string code, string bound);

    [LoggerMessage(1543, LogLevel.Error,
        "The response of {Path} has {Size} bytes, and there will never be room for it among the block-wise responses, so it is "
            + "replaced by 5.00: the limit is {Bound}. Respond with CoapResults.File or CoapResults.Stream, which need no memory, or "
            + "raise the limit. Logged once per minute.")]
    public static partial void AnswerNeverFits(ILogger logger, string path, long size, string bound);

    [LoggerMessage(1545, LogLevel.Warning,
        "A body for {Path} was refused with 4.13: its route accepts {MaxBodySize} bytes, but a body that is assembled in memory has at "
            + "most "
            + "{Max}, the share of one source (MaxSourceFraction of RequestMemory in CoapLimits.Blockwise). Raise these, or read the body "
            + "with WithStreamedBody(). Logged once per minute.")]
    public static partial void BodySizeCapped(ILogger logger, string path, long maxBodySize, long max);

    [LoggerMessage(1710, LogLevel.Debug, "{Target} accepts blocks of {Size} bytes; uploads to it continue with this size.")]
    public static partial void SmallerBlocks(ILogger logger, string target, int size);

    [LoggerMessage(1711, LogLevel.Debug, "{Target} answered {Code} to a part of an upload; it restarts from the beginning.")]
    public static partial void UploadRestarted(ILogger logger, string target, CoapCode code);

    [LoggerMessage(1712, LogLevel.Debug, "{Target} changed the representation during the download; the download restarts.")]
    public static partial void DownloadRestarted(ILogger logger, string target);

    [LoggerMessage(1713, LogLevel.Debug, "{Target} {Why}")]
    public static partial void ResponseBlockRefused(ILogger logger, string target, string why);

    [LoggerMessage(1400, LogLevel.Error,
        "The response of {Path} has {Size} bytes, more than the {Limit} that fit into one message to this peer; 5.00 was sent instead.")]
    public static partial void ResponseTooLarge(ILogger logger, string path, long size, int limit);

    [LoggerMessage(1401, LogLevel.Debug,
        "A response of {Size} bytes exceeds the limit of {Limit} in the CSM of {Channel}, which supports no blocks; 5.00 was sent "
            + "instead.")]
    public static partial void PeerTakesLess(ILogger logger, CoapChannel channel, long size, int limit);
}
