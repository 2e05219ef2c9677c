namespace CoAP.NET.Cluster;

/// <summary>Options for devices: their names, when they count as asleep, and limits.</summary>
public sealed class CoapDeviceOptions
{
    private const int MostTries = 100;
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(3650);

    /// <summary>
    /// Returns the device name of a peer, 1 to 255 bytes of UTF-8, or null for a peer that is not a device. Default null: only announced
    /// peers are devices (<see cref="ICoapDevices.Announce"/>).
    /// </summary>
    /// <remarks>
    /// The node calls it once when a session or connection opens, on the receiving thread; it must not block. Derive the name from the
    /// authenticated identity of the peer (<see cref="CoapPeer.Identity"/>): a peer that gets a name receives the requests for it, in place
    /// of the previous peer.
    /// </remarks>
    public Func<CoapPeer, string?>? NameOf { get; set; }

    /// <summary>The number of consecutive unanswered requests after which a silent device counts as asleep, 1 to 100. Default 1.</summary>
    /// <remarks>
    /// A request counts if it waited longer than the first transmission of a message (ACK_TIMEOUT times ACK_RANDOM_FACTOR, 3 s). Every
    /// message of the device wakes it up again.
    /// </remarks>
    public int TriesBeforeAsleep { get; set; } = 1;

    /// <summary>
    /// The time after which the next request tries a device again that did not answer and stayed silent, above 0. Default 1 minute.
    /// </summary>
    /// <remarks>
    /// Meant for devices that never send on their own. It does not apply if <see cref="AwakeTime"/> defines when devices listen.
    /// </remarks>
    public TimeSpan RetryAsleepAfter { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>
    /// The time for which a device listens after each of its messages, above 0. Default <see cref="Timeout.InfiniteTimeSpan"/>: devices
    /// always listen.
    /// </summary>
    /// <remarks>
    /// Use for example 93 s (MAX_TRANSMIT_WAIT) for LwM2M devices in queue mode. After this time the device counts as asleep without a
    /// request.
    /// </remarks>
    public TimeSpan AwakeTime { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>The time for which a silent device is remembered, and is asleep instead of unknown, above 0. Default 90 days.</summary>
    public TimeSpan RememberFor { get; set; } = TimeSpan.FromDays(90);

    /// <summary>The maximum number of observations of one device on this node, 1 to 10,000. Default 64.</summary>
    /// <remarks>Several observations of one resource count separately, although the device has one registration for all of them.</remarks>
    public int MaxObservationsPerDevice { get; set; } = 64;

    /// <summary>The maximum number of requests in the outbox of a device, 1 to 1,000. Default 16.</summary>
    public int MaxQueuedPerDevice { get; set; } = 16;

    /// <summary>The maximum number of requests in the outboxes of this node, 1 to 1,000,000. Default 10,000.</summary>
    public int MaxQueued { get; set; } = 10_000;

    /// <summary>The maximum number of bytes of these requests, 64 KiB to 1 GiB. Default 64 MiB.</summary>
    public int MaxQueuedBytes { get; set; } = 64 * 1024 * 1024;

    /// <summary>
    /// The maximum number of these requests per named caller (<see cref="CoapDeviceRequestOptions.Caller"/>), 1 to <see cref="MaxQueued"/>.
    /// Default 2,500, a quarter of the default of <see cref="MaxQueued"/>.
    /// </summary>
    /// <remarks>The caller gets the same share of the bytes.</remarks>
    public int MaxQueuedPerCaller { get; set; } = 2_500;

    /// <summary>
    /// The time for which the outcome of a request from the outbox is kept for callers on other nodes, above 0. Default 10 minutes.
    /// </summary>
    public TimeSpan OutcomeLifetime { get; set; } = TimeSpan.FromMinutes(10);

    /// <summary>Describes the first invalid option; null if all are valid.</summary>
    /// <returns>A text that also describes the remedy.</returns>
    internal string? FindFault()
    {
        if (TriesBeforeAsleep is < 1 or > MostTries)
        {
            return $"CoapDeviceOptions.TriesBeforeAsleep is {TriesBeforeAsleep}; it must be from 1 to {MostTries}.";
        }

        return FindFault(nameof(MaxObservationsPerDevice), MaxObservationsPerDevice, 1, 10_000)
            ?? FindFault(nameof(MaxQueuedPerDevice), MaxQueuedPerDevice, 1, 1_000)
            ?? FindFault(nameof(MaxQueued), MaxQueued, 1, 1_000_000)
            ?? FindFault(nameof(MaxQueuedBytes), MaxQueuedBytes, 64 * 1024, 1 << 30)
            ?? FindFault(nameof(MaxQueuedPerCaller), MaxQueuedPerCaller, 1, MaxQueued)
            ?? FindFault(nameof(OutcomeLifetime), OutcomeLifetime, mayBeInfinite: false)
            ?? FindFault(nameof(RetryAsleepAfter), RetryAsleepAfter, mayBeInfinite: true)
            ?? FindFault(nameof(AwakeTime), AwakeTime, mayBeInfinite: true)
            ?? FindFault(nameof(RememberFor), RememberFor, mayBeInfinite: false);
    }

    internal CoapDeviceOptions Clone() => (CoapDeviceOptions)MemberwiseClone();

    private static string? FindFault(string name, int value, int least, int most) => value >= least && value <= most
        ? null
        : $"CoapDeviceOptions.{name} is {value}; it must be from {least} to {most}.";

    private static string? FindFault(string name, TimeSpan value, bool mayBeInfinite) =>
        (value > TimeSpan.Zero && value <= s_longest) || (mayBeInfinite && value == Timeout.InfiniteTimeSpan)
            ? null
            : $"CoapDeviceOptions.{name} is {value}; it must be above 0 and at most {s_longest.Days} days"
                + (mayBeInfinite ? ", or infinite." : ".");
}
