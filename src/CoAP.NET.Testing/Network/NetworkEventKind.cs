namespace CoAP.NET.Testing;

/// <summary>What happened on an <see cref="InMemoryNetwork"/>.</summary>
public enum NetworkEventKind
{
    /// <summary>A datagram was sent.</summary>
    Sent,

    /// <summary>A datagram arrived.</summary>
    Delivered,

    /// <summary>Lost by chance (<see cref="NetworkConditions.Loss"/>).</summary>
    Lost,

    /// <summary>
    /// Lost because the test asked for it (<see cref="InMemoryNetwork.DropNext"/>, <see cref="InMemoryNetwork.DropNth"/>).
    /// </summary>
    Dropped,

    /// <summary>Changed or dropped by the filter (<see cref="InMemoryNetwork.Filter"/>).</summary>
    Filtered,

    /// <summary>A second copy is on its way.</summary>
    Duplicated,

    /// <summary>One byte was changed on the way.</summary>
    Corrupted,

    /// <summary>Held back, so that later datagrams overtake it.</summary>
    Reordered,

    /// <summary>Lost because the addresses are cut off from each other.</summary>
    Partitioned,

    /// <summary>Lost because it is longer than the link carries.</summary>
    TooLong,

    /// <summary>Lost because the queue before a bottleneck was full.</summary>
    QueueFull,

    /// <summary>Lost because the host of the sender or of the receiver is down.</summary>
    HostDown,

    /// <summary>Lost because nobody has the address.</summary>
    NoListener,

    /// <summary>The sender was told that nobody has the address.</summary>
    PortUnreachable,

    /// <summary>The test changed the network: an address, a partition, a host that went down or up.</summary>
    Changed,
}
