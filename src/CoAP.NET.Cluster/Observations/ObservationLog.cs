using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>What observations at devices log, with ids from 2550 on.</summary>
internal static partial class ObservationLog
{
    [LoggerMessage(2550, LogLevel.Warning, "The observation {Name} at {Peer} could not be gone on with: {Reason}")]
    public static partial void NotAdopted(ILogger logger, string name, string peer, string reason);

    [LoggerMessage(2551, LogLevel.Warning,
        "The store has observations of the name {Name}, and nobody handles them on this node. Call Observations.Map before the server "
        + "starts; what comes for them meanwhile is rejected, and the devices forget them.")]
    public static partial void NobodyHandles(ILogger logger, string name);

    [LoggerMessage(2552, LogLevel.Error, "The handler of the observation {Name} has failed for a notification of {Peer}.")]
    public static partial void HandlerFailed(ILogger logger, string name, string peer, Exception exception);

    [LoggerMessage(2553, LogLevel.Error, "The records of observations at devices in slot {Slot} cannot be read: {Count} are left out.")]
    public static partial void Unreadable(ILogger logger, CoapSlot slot, int count);
}
