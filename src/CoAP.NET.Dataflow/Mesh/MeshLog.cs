using Microsoft.Extensions.Logging;

namespace CoAP.NET.Mesh;

/// <summary>Log messages of the links and blocks of the pipeline.</summary>
internal static partial class MeshLog
{
    [LoggerMessage(1603, LogLevel.Warning,
        "The block {Place} of shard {Shard} was not empty when the time to stop was over. Requests in it get 5.03 where this is possible; "
            + "items that leave it later count as Declined. Check what its items wait for, or set a longer StopGracePeriod.")]
    public static partial void BlockDidNotComplete(ILogger logger, string place, int shard);

    [LoggerMessage(1609, LogLevel.Warning,
        "User code that the stage {Stage} of shard {Shard} called had not returned when the time to stop was over. The endpoint closes "
            + "without it. Check what the code waits for, or set a longer StopGracePeriod.")]
    public static partial void StageDidNotComplete(ILogger logger, string stage, int shard);

    [LoggerMessage(1610, LogLevel.Error, "A linked block faulted while the block before it is open. Items for it are lost.")]
    public static partial void LinkedTargetFaulted(ILogger logger, Exception exception);

    [LoggerMessage(1611, LogLevel.Warning,
        "A linked block completed while the block before it is open. Items for it are dropped and counted.")]
    public static partial void LinkedTargetEnded(ILogger logger);
}
