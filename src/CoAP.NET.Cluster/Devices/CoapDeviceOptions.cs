namespace CoAP.NET.Cluster;

/// <summary>Which peers are devices, and when a device counts as asleep.</summary>
public sealed class CoapDeviceOptions
{
    private const int MostTries = 100;
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(3650);

    /// <summary>
    /// Says which device a peer is: its name, 1 to 255 bytes of UTF-8, or null for a peer that is no device. Asked once when a session or
    /// connection opens, on the thread that receives, so it must not wait. Take the name from what the peer has proved
    /// (<see cref="CoapPeer.Identity"/>): whoever gets a name is asked in the place of who had it before. Default null: no peer is a device
    /// unless it is announced (<see cref="ICoapDevices.Announce"/>).
    /// </summary>
    public Func<CoapPeer, string?>? NameOf { get; set; }

    /// <summary>
    /// After how many requests in a row that were not answered a device counts as asleep, if it said nothing meanwhile; 1 to 100, default
    /// 1. A request counts when it waited for longer than the first copy of a message does (ACK_TIMEOUT times ACK_RANDOM_FACTOR, 3 s).
    /// Whatever the device says makes it awake again.
    /// </summary>
    public int TriesBeforeAsleep { get; set; } = 1;

    /// <summary>
    /// After which time a device that did not answer is tried again, by the next request, though it said nothing; above 0, default 1
    /// minute. For devices that never say anything by themselves. It does not hold where <see cref="AwakeTime"/> says when devices listen.
    /// </summary>
    public TimeSpan RetryAsleepAfter { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>
    /// For how long a device listens after it has said something, such as 93 s (MAX_TRANSMIT_WAIT) for devices of LwM2M in queue mode;
    /// above 0. When that is over it counts as asleep without having been asked. Default <see cref="Timeout.InfiniteTimeSpan"/>: devices
    /// listen always, as far as is known.
    /// </summary>
    public TimeSpan AwakeTime { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// For how long a device that is not heard is remembered, and is asleep and not unknown; above 0, default 90 days.
    /// </summary>
    public TimeSpan RememberFor { get; set; } = TimeSpan.FromDays(90);

    /// <summary>
    /// How many observations of a device this node has at a time at most, 1 to 10,000; default 64. Those of one resource count each, though
    /// the device has one registration for all of them.
    /// </summary>
    public int MaxObservationsPerDevice { get; set; } = 64;

    /// <summary>
    /// How many registrations at devices of this node begin in a second for those who observe all devices
    /// (<see cref="ICoapDevices.ObserveAsync"/>), and how many end; 1 to 100,000, default 1,000.
    /// </summary>
    public int RegistrationsPerSecond { get; set; } = 1_000;

    /// <summary>
    /// How many of them are under way at most, 1 to 1,000,000; default 5,000. A device that does not answer holds its place for
    /// MAX_TRANSMIT_WAIT, 93 s; devices that came anew go before those that are tried again.
    /// </summary>
    public int MaxRegistrationsUnderWay { get; set; } = 5_000;

    /// <summary>
    /// How many bytes the payload of a notification may have for those who observe all devices, 64 bytes to 1 MiB; default 16 KiB. A device
    /// that notifies with more is not observed (<see cref="CoapDeviceRefusal.TooLarge"/>). The newest notification of each device is held.
    /// </summary>
    public int MaxNotificationSize { get; set; } = 16 * 1024;

    /// <summary>
    /// For how long a device may be away, as its node has died or hands it over, before those who observe all devices are told that it
    /// went; 1 s to 10 minutes, default 30 s.
    /// </summary>
    public TimeSpan AwayTime { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>How many requests wait in the outbox of a device at most, 1 to 1,000; default 16.</summary>
    public int MaxQueuedPerDevice { get; set; } = 16;

    /// <summary>How many requests wait in the outboxes of this node at most, 1 to 1,000,000; default 10,000.</summary>
    public int MaxQueued { get; set; } = 10_000;

    /// <summary>How many bytes they have together at most, from 64 KiB to 1 GiB; default 64 MiB.</summary>
    public int MaxQueuedBytes { get; set; } = 64 * 1024 * 1024;

    /// <summary>
    /// How many of them a caller may have that is named (<see cref="CoapDeviceRequestOptions.Caller"/>), and which share of the bytes; 1 to
    /// <see cref="MaxQueued"/>, default a quarter of the default of that: 2,500.
    /// </summary>
    public int MaxQueuedPerCaller { get; set; } = 2_500;

    /// <summary>
    /// For how long the outcome of a request from the outbox is kept, so that whoever waits for it on another node gets it; above 0,
    /// default 10 minutes.
    /// </summary>
    public TimeSpan KeepOutcomesFor { get; set; } = TimeSpan.FromMinutes(10);

    /// <summary>What is wrong with the options; null when nothing is.</summary>
    /// <returns>The text, which says what to do.</returns>
    public string? FindFault()
    {
        if (TriesBeforeAsleep is < 1 or > MostTries)
        {
            return $"CoapDeviceOptions.TriesBeforeAsleep is {TriesBeforeAsleep}; it has to be from 1 to {MostTries}.";
        }

        return FindFault(nameof(MaxObservationsPerDevice), MaxObservationsPerDevice, 1, 10_000)
            ?? FindFault(nameof(RegistrationsPerSecond), RegistrationsPerSecond, 1, 100_000)
            ?? FindFault(nameof(MaxRegistrationsUnderWay), MaxRegistrationsUnderWay, 1, 1_000_000)
            ?? FindFault(nameof(MaxNotificationSize), MaxNotificationSize, 64, 1 << 20)
            ?? (AwayTime >= TimeSpan.FromSeconds(1) && AwayTime <= TimeSpan.FromMinutes(10)
                ? null
                : $"CoapDeviceOptions.AwayTime is {AwayTime}; it has to be from 1 second to 10 minutes.")
            ?? FindFault(nameof(MaxQueuedPerDevice), MaxQueuedPerDevice, 1, 1_000)
            ?? FindFault(nameof(MaxQueued), MaxQueued, 1, 1_000_000)
            ?? FindFault(nameof(MaxQueuedBytes), MaxQueuedBytes, 64 * 1024, 1 << 30)
            ?? FindFault(nameof(MaxQueuedPerCaller), MaxQueuedPerCaller, 1, MaxQueued)
            ?? FindFault(nameof(KeepOutcomesFor), KeepOutcomesFor, mayBeInfinite: false)
            ?? FindFault(nameof(RetryAsleepAfter), RetryAsleepAfter, mayBeInfinite: true)
            ?? FindFault(nameof(AwakeTime), AwakeTime, mayBeInfinite: true)
            ?? FindFault(nameof(RememberFor), RememberFor, mayBeInfinite: false);
    }

    internal CoapDeviceOptions Clone() => (CoapDeviceOptions)MemberwiseClone();

    private static string? FindFault(string name, int value, int least, int most) => value >= least && value <= most
        ? null
        : $"CoapDeviceOptions.{name} is {value}; it has to be from {least} to {most}.";

    private static string? FindFault(string name, TimeSpan value, bool mayBeInfinite) =>
        (value > TimeSpan.Zero && value <= s_longest) || (mayBeInfinite && value == Timeout.InfiniteTimeSpan)
            ? null
            : $"CoapDeviceOptions.{name} is {value}; it has to be above 0 and at most {s_longest.Days} days"
                + (mayBeInfinite ? ", or infinite." : ".");
}
