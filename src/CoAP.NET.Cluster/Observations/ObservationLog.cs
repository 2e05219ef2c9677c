using CoAP.NET.Cluster.Maps;
using CoAP.NET.Observing.Client;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Observations;

/// <summary>The log of observations at devices: ids from 2550.</summary>
internal static partial class ObservationLog
{
    [LoggerMessage(2550, LogLevel.Warning, "The observation {Name} at {Peer} could not be continued: {Reason}")]
    public static partial void NotAdopted(ILogger logger, string name, string peer, string reason);

    [LoggerMessage(2551, LogLevel.Warning,
        "The store has observations with the name {Name}, for which this node has no handler. Call Observations.Map before the server "
        + "starts; until then their notifications are rejected, and the devices end them.")]
    public static partial void HasNoHandler(ILogger logger, string name);

    [LoggerMessage(2552, LogLevel.Error, "The handler of the observation {Name} has thrown an exception for a notification of {Peer}.")]
    public static partial void HandlerFailed(ILogger logger, string name, string peer, Exception exception);

    [LoggerMessage(2553, LogLevel.Error, "{Count} records of observations at devices in slot {Slot} cannot be read and are skipped.")]
    public static partial void Unreadable(ILogger logger, CoapSlot slot, int count);

    [LoggerMessage(2554, LogLevel.Warning,
        "{Peer} does not accept the observation {Name}: it answers {Code} without the Observe option. The node retries occasionally. "
        + "Other devices may be affected: coap.cluster.observation_events counts them.")]
    public static partial void ObservationRefused(ILogger logger, string name, string peer, CoapCode code);
}
