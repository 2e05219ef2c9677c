using CoAP.NET.Cluster.Maps;
using CoAP.NET.Settings;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>Options for moving slots between the nodes that share them (<see cref="CoapClusterOptions.Moves"/>).</summary>
[HasSettings]
internal sealed partial class CoapSlotMoveOptions
{
    /// <summary>The time for which the set of nodes must be stable before nodes give slots to those with fewer.</summary>
    /// <remarks>
    /// If more than three nodes join within a minute, the time doubles with each further one, up to a minute. A node that crashes in a loop
    /// therefore does not move sessions back and forth. Slots of a dead or leaving node move at once.
    /// </remarks>
    [TimeRange(0, 10 * Seconds.Minute)]
    public partial TimeSpan SettleTime { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>The number of slots that a node hands over at a time. Their datagrams are queued meanwhile.</summary>
    [NumberRange(1, CoapSlot.Count)]
    public partial int BatchSize { get; set; } = 16;

    /// <summary>The time in which pending requests in sessions of a slot may finish before the handover.</summary>
    /// <remarks>
    /// It applies to requests of devices and to devices. The node waits for an unacknowledged request to a device as long as its first
    /// transmission waits (ACK_TIMEOUT times ACK_RANDOM_FACTOR, 3 s).
    /// </remarks>
    [TimeRange(0, 10 * Seconds.Minute)]
    public partial TimeSpan ReleaseTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>The maximum time in which a leaving node hands slots over.</summary>
    /// <remarks>The other nodes take the remaining slots after its end, as after a crash.</remarks>
    [TimeRange(0, Seconds.Hour)]
    public partial TimeSpan LeaveTimeout { get; set; } = TimeSpan.FromSeconds(15);

    /// <summary>
    /// The time for which a leaving node relays late messages, from the announcement that it leaves (<see cref="CoapCluster.IsLeaving"/>).
    /// </summary>
    /// <remarks>
    /// It ends no sooner than 1 s after the handover of the last slot, or this time if that is shorter. Together with
    /// <see cref="LeaveTimeout"/> it must fit into the time that the host allows for a stop (30 s by default, also in Kubernetes). Choose
    /// the time for which a load balancer still sends to a node that is not ready.
    /// </remarks>
    [TimeRange(0, Seconds.Hour)]
    public partial TimeSpan RelayTime { get; set; } = TimeSpan.FromSeconds(3);

    /// <summary>The maximum time for which a datagram is queued while its slot moves.</summary>
    /// <remarks>Clients retransmit lost messages, first after 2 to 3 s.</remarks>
    [TimeRange(100 * Seconds.Millisecond, Seconds.Minute)]
    public partial TimeSpan MaxQueueTime { get; set; } = TimeSpan.FromSeconds(8);

    /// <summary>The maximum number of bytes of datagrams queued for moving slots.</summary>
    /// <remarks>
    /// Each datagram counts 128 bytes more than its length. At the maximum the oldest datagram of the source with the most is dropped.
    /// </remarks>
    [NumberRange(64 << 10, 1 << 30, IsBytes = true)]
    public partial int MaxQueuedBytes { get; set; } = 4 << 20;
}
