namespace CoAP.NET.Cluster;

/// <summary>How slots move between the nodes that share them (<see cref="CoapClusterOptions.Moves"/>).</summary>
public sealed class CoapSlotMoveOptions
{
    /// <summary>
    /// How long the set of nodes must be unchanged before nodes give slots to those that have fewer: 0 to 10 minutes, 2 s by default. When
    /// more than three nodes join within a minute, the time doubles with each further one, up to a minute, so that a node that crashes in a
    /// loop does not move sessions back and forth. Slots of a node that died or is leaving move at once.
    /// </summary>
    public TimeSpan SettleTime { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>How many slots a node hands over at a time: 1 to 256, 16 by default. Datagrams for them are held meanwhile.</summary>
    public int BatchSize { get; set; } = 16;

    /// <summary>
    /// How long requests under way in sessions of a slot may take to finish before the slot is handed over, those of devices and those to
    /// devices: 0 to 10 minutes, 5 s by default. A device that has not acknowledged a request is waited for as long as its first copy
    /// waits (ACK_TIMEOUT times ACK_RANDOM_FACTOR, 3 s).
    /// </summary>
    public TimeSpan ReleaseTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The maximum time in which a leaving node hands slots over: 0 to 1 hour, 15 s by default. The other nodes take the remaining slots
    /// when it has ended, as after a crash.
    /// </summary>
    public TimeSpan LeaveTimeout { get; set; } = TimeSpan.FromSeconds(15);

    /// <summary>
    /// How long a node that leaves relays what still arrives at it, from when it says that it leaves
    /// (<see cref="CoapCluster.IsLeaving"/>): 0 to 1 hour, 3 s by default. It ends no sooner than 1 s after the last slot was handed over,
    /// or this time if that is shorter. Together with <see cref="LeaveTimeout"/> it has to fit into the time that the host allows for a
    /// stop (30 s by default, also in Kubernetes). Choose the time for which a load balancer still sends to a node that is not ready.
    /// </summary>
    public TimeSpan RelayTime { get; set; } = TimeSpan.FromSeconds(3);

    /// <summary>
    /// The maximum time for which a datagram is held while its slot moves: 100 ms to 1 minute, 8 s by default. Clients retransmit what is
    /// lost, first after 2 to 3 s.
    /// </summary>
    public TimeSpan HoldTime { get; set; } = TimeSpan.FromSeconds(8);

    /// <summary>
    /// The maximum number of bytes of datagrams that are held for moving slots: 64 KiB to 1 GiB, 4 MiB by default; each counts 128 bytes
    /// more than its length. When the maximum is reached, the oldest datagram of the source that has the most is dropped.
    /// </summary>
    public int MaxHeldBytes { get; set; } = 4 << 20;

    internal CoapSlotMoveOptions Checked()
    {
        OptionRange.Check(SettleTime, TimeSpan.Zero, TimeSpan.FromMinutes(10));
        OptionRange.Check(BatchSize, 1, CoapSlot.Count);
        OptionRange.Check(ReleaseTimeout, TimeSpan.Zero, TimeSpan.FromMinutes(10));
        OptionRange.Check(LeaveTimeout, TimeSpan.Zero, TimeSpan.FromHours(1));
        OptionRange.Check(RelayTime, TimeSpan.Zero, TimeSpan.FromHours(1));
        OptionRange.Check(HoldTime, TimeSpan.FromMilliseconds(100), TimeSpan.FromMinutes(1));
        OptionRange.Check(MaxHeldBytes, 64 << 10, 1 << 30);
        return (CoapSlotMoveOptions)MemberwiseClone();
    }
}
