using CoAP.NET.Settings;

namespace CoAP.NET.Cluster;

/// <summary>Options for devices: their names, when they count as asleep, and limits.</summary>
[HasSettings]
public sealed partial class CoapDeviceOptions
{
    /// <summary>
    /// Returns the device name of a peer, 1 to 255 bytes of UTF-8, or null for a peer that is not a device. Default null: only announced
    /// peers are devices (<see cref="ICoapDevices.Announce"/>).
    /// </summary>
    /// <remarks>
    /// The node calls it once when a session or connection opens, on the receiving thread; it must not block. Derive the name from the
    /// authenticated identity of the peer (<see cref="CoapPeer.Identity"/>): a peer that gets a name receives the requests for it, in place
    /// of the previous peer.
    /// </remarks>
    public partial Func<CoapPeer, string?>? NameOf { get; set; }

    /// <summary>The number of consecutive unanswered requests after which a silent device counts as asleep</summary>
    /// <remarks>
    /// A request counts if it waited longer than the first transmission of a message (ACK_TIMEOUT times ACK_RANDOM_FACTOR, 3 s). Every
    /// message of the device wakes it up again.
    /// </remarks>
    [NumberRange(1, 100)]
    public partial int TriesBeforeAsleep { get; set; } = 1;

    /// <summary>The time after which the next request tries a device again that did not answer and stayed silent.</summary>
    /// <remarks>
    /// Meant for devices that never send on their own. It does not apply if <see cref="AwakeTime"/> defines when devices listen.
    /// </remarks>
    [TimeRange(0, 3650 * Seconds.Day, IsMinExcluded = true, OrInfinite = true)]
    public partial TimeSpan RetryAsleepAfter { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>
    /// The time for which a device listens after each of its messages. Default <see cref="Timeout.InfiniteTimeSpan"/>: devices
    /// always listen.
    /// </summary>
    /// <remarks>
    /// Use for example 93 s (MAX_TRANSMIT_WAIT) for LwM2M devices in queue mode. After this time the device counts as asleep without a
    /// request.
    /// </remarks>
    [TimeRange(0, 3650 * Seconds.Day, IsMinExcluded = true, OrInfinite = true)]
    public partial TimeSpan AwakeTime { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>The time for which a silent device is remembered, and is asleep instead of unknown.</summary>
    [TimeRange(0, 3650 * Seconds.Day, IsMinExcluded = true)]
    public partial TimeSpan RememberFor { get; set; } = TimeSpan.FromDays(90);

    /// <summary>The maximum number of observations of one device on this node</summary>
    /// <remarks>Several observations of one resource count separately, although the device has one registration for all of them.</remarks>
    [NumberRange(1, 10_000)]
    public partial int MaxObservationsPerDevice { get; set; } = 64;

    /// <summary>The maximum number of requests in the outbox of a device</summary>
    [NumberRange(1, 1_000)]
    public partial int MaxQueuedPerDevice { get; set; } = 16;

    /// <summary>The maximum number of requests in the outboxes of this node</summary>
    [NumberRange(1, 1_000_000)]
    public partial int MaxQueued { get; set; } = 10_000;

    /// <summary>The maximum number of bytes of these requests.</summary>
    [NumberRange(64 << 10, 1 << 30, IsBytes = true)]
    public partial int MaxQueuedBytes { get; set; } = 64 * 1024 * 1024;

    /// <summary>
    /// The maximum number of these requests per named caller (<see cref="CoapDeviceRequestOptions.Caller"/>), 1 to <see cref="MaxQueued"/>.
    /// Default 2,500, a quarter of the default of <see cref="MaxQueued"/>.
    /// </summary>
    /// <remarks>The caller gets the same share of the bytes.</remarks>
    [NumberRange(1, 1_000_000)]
    public partial int MaxQueuedPerCaller { get; set; } = 2_500;

    /// <summary>The time for which the outcome of a request from the outbox is kept for callers on other nodes.</summary>
    [TimeRange(0, 3650 * Seconds.Day, IsMinExcluded = true)]
    public partial TimeSpan OutcomeLifetime { get; set; } = TimeSpan.FromMinutes(10);

    /// <summary>Describes the first invalid option; null if all are valid.</summary>
    /// <returns>A text that also describes the remedy.</returns>
    internal string? FindFault() => MaxQueuedPerCaller <= MaxQueued
        ? null
        : $"CoapDeviceOptions.MaxQueuedPerCaller is {MaxQueuedPerCaller}; it must be from 1 to {MaxQueued}.";
}
