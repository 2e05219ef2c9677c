using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// What observations of all devices log, with ids from 2570 on; each once a minute at most, as there may be many devices.
/// </summary>
internal static partial class WatchLog
{
    [LoggerMessage(2570, LogLevel.Information,
        "The device '{Device}' is not observed: {Refusal}, its answer was {Code}. It is asked again now and then. Others may be the same: "
        + "coap.cluster.device_registrations counts them.")]
    public static partial void Refused(ILogger logger, string device, CoapDeviceRefusal refusal, CoapCode code);

    [LoggerMessage(2571, LogLevel.Information,
        "The device '{Device}' did not answer a registration: {Reason} It is asked again when it is heard, and now and then. Others may be "
        + "the same: coap.cluster.device_registrations counts them.")]
    public static partial void Unanswered(ILogger logger, string device, string reason);

    [LoggerMessage(2572, LogLevel.Error, "The observation of the device '{Device}' failed; it is tried again.")]
    public static partial void Failed(ILogger logger, string device, Exception exception);
}
