using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// The log of observations of all devices, with ids from 2570 on; each message at most once per minute because there may be many devices.
/// </summary>
internal static partial class WatchLog
{
    [LoggerMessage(2570, LogLevel.Information,
        "The device '{Device}' is not observed: {Refusal}, its answer was {Code}. The node retries occasionally. Other devices may be "
        + "affected: coap.cluster.device_registrations counts them.")]
    public static partial void Refused(ILogger logger, string device, CoapDeviceRefusal refusal, CoapCode code);

    [LoggerMessage(2571, LogLevel.Information,
        "The device '{Device}' did not answer a registration: {Reason} The node retries when the device sends a message, and "
        + "occasionally. Other devices may be affected: coap.cluster.device_registrations counts them.")]
    public static partial void Unanswered(ILogger logger, string device, string reason);

    [LoggerMessage(2572, LogLevel.Error, "The observation of the device '{Device}' failed; the node retries.")]
    public static partial void Failed(ILogger logger, string device, Exception exception);
}
