using CoAP.NET.Settings;

namespace CoAP.NET.Cluster;

/// <summary>Options of a request to a device.</summary>
[HasSettings]
public sealed partial class CoapDeviceRequestOptions
{
    /// <summary>The maximum length of <see cref="Caller"/> in characters: 255.</summary>
    internal const int MaxCallerLength = 255;

    /// <summary>
    /// Whether the request waits in the outbox until the device is awake and earlier requests are answered. Default false: it is sent now,
    /// or fails.
    /// </summary>
    /// <remarks>The outbox is in the store and survives nodes. <see cref="ICoapDevice.QueueAsync"/> always uses it.</remarks>
    public partial bool Queue { get; set; }

    /// <summary>The maximum time in the outbox.</summary>
    [TimeRange(1, 365 * Seconds.Day)]
    public partial TimeSpan Lifetime { get; set; } = TimeSpan.FromDays(1);

    /// <summary>
    /// Whether to repeat a request that may have taken effect: it was sent without an answer, or the node that sent it died. Default false.
    /// </summary>
    /// <remarks>
    /// With false a POST or PATCH fails with <see cref="CoapDeviceFault.PerhapsSent"/>. Other methods are always repeated because they
    /// are idempotent (RFC 7252 section 5.1).
    /// </remarks>
    public partial bool RepeatWhenInDoubt { get; set; }

    /// <summary>
    /// The caller whose share of the outbox it takes (<see cref="CoapDeviceOptions.MaxQueuedPerCaller"/>), such as a tenant or a user; at
    /// most 255 characters. Default empty: the application itself.
    /// </summary>
    public partial string Caller { get; set; } = "";
}
