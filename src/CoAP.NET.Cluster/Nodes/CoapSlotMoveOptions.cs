namespace CoAP.NET.Cluster;

/// <summary>How slots move between nodes that share them, for <see cref="CoapClusterOptions.Moves"/>.</summary>
public sealed class CoapSlotMoveOptions
{
    /// <summary>
    /// For how long nobody may have joined or left before nodes give slots to those that have fewer: 0 to 10 minutes, 2 s by default. Where
    /// more than three nodes join within a minute, the time doubles with each further one, up to a minute, so that a node that starts
    /// again and again does not move sessions to and fro. Slots of a node that died or leaves move at once.
    /// </summary>
    public TimeSpan SettleTime { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>How many slots a node hands over at a time: 1 to 256, 16 by default. What arrives for them meanwhile is held.</summary>
    public int BatchSize { get; set; } = 16;

    /// <summary>
    /// How long requests under way in sessions of a slot may take to finish before it is handed over: 0 to 10 minutes, 5 s by default.
    /// </summary>
    public TimeSpan ReleaseTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long a node that leaves hands slots over at most: 0 to 1 hour, 15 s by default. What is left then is taken by the other nodes
    /// when it has ended, as after a crash.
    /// </summary>
    public TimeSpan LeaveTimeout { get; set; } = TimeSpan.FromSeconds(15);

    /// <summary>
    /// How long a node that has handed over everything goes on to relay what still arrives at it: 0 to 1 hour, 3 s by default. With
    /// <see cref="LeaveTimeout"/> it has to fit into the time that the host gives to a stop (30 s by default, in Kubernetes too). Make it
    /// as long as a load balancer goes on to send there.
    /// </summary>
    public TimeSpan RelayTime { get; set; } = TimeSpan.FromSeconds(3);

    /// <summary>
    /// How long a datagram for a slot that is on its way is held at most: 100 ms to 1 minute, 8 s by default. Clients say what is lost
    /// again, first after 2 to 3 s.
    /// </summary>
    public TimeSpan HoldTime { get; set; } = TimeSpan.FromSeconds(8);

    /// <summary>
    /// How many bytes of datagrams are held for slots that are on their way: 64 KiB to 1 GiB, 4 MiB by default, each with 128 bytes beside
    /// what it says. When that is reached, the source that has most there loses its oldest one.
    /// </summary>
    public int MaxHeldBytes { get; set; } = 4 << 20;

    internal CoapSlotMoveOptions Checked()
    {
        Check(SettleTime, TimeSpan.Zero, TimeSpan.FromMinutes(10), nameof(SettleTime));
        Check(BatchSize, 1, CoapSlot.Count, nameof(BatchSize));
        Check(ReleaseTimeout, TimeSpan.Zero, TimeSpan.FromMinutes(10), nameof(ReleaseTimeout));
        Check(LeaveTimeout, TimeSpan.Zero, TimeSpan.FromHours(1), nameof(LeaveTimeout));
        Check(RelayTime, TimeSpan.Zero, TimeSpan.FromHours(1), nameof(RelayTime));
        Check(HoldTime, TimeSpan.FromMilliseconds(100), TimeSpan.FromMinutes(1), nameof(HoldTime));
        Check(MaxHeldBytes, 64 << 10, 1 << 30, nameof(MaxHeldBytes));
        return (CoapSlotMoveOptions)MemberwiseClone();
    }

    private static void Check<T>(T value, T least, T most, string name)
        where T : IComparable<T>
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, least, name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, most, name);
    }
}
