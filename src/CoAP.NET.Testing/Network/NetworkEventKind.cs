namespace CoAP.NET.Testing;

/// <summary>The kinds of events on an <see cref="InMemoryNetwork"/>.</summary>
public enum NetworkEventKind
{
    /// <summary>A host sent a datagram.</summary>
    Sent,

    /// <summary>A datagram arrived at a host.</summary>
    Delivered,

    /// <summary>Lost randomly (<see cref="NetworkConditions.Loss"/>).</summary>
    Lost,

    /// <summary>Lost on request of the test (<see cref="InMemoryNetwork.DropNext"/>, <see cref="InMemoryNetwork.DropNth"/>).</summary>
    Dropped,

    /// <summary>Changed or dropped by the filter (<see cref="InMemoryNetwork.Filter"/>).</summary>
    Filtered,

    /// <summary>A second copy was sent.</summary>
    Duplicated,

    /// <summary>One byte was changed on the way.</summary>
    Corrupted,

    /// <summary>Delayed, so that later datagrams overtake it.</summary>
    Reordered,

    /// <summary>Lost because of a partition between the addresses.</summary>
    Partitioned,

    /// <summary>Lost because it is longer than the link allows.</summary>
    TooLong,

    /// <summary>Lost because the queue before a bottleneck was full.</summary>
    QueueFull,

    /// <summary>Lost because the host of the sender or of the receiver is down.</summary>
    HostDown,

    /// <summary>Lost because no host has the address.</summary>
    NoListener,

    /// <summary>The sender was notified that no host has the address.</summary>
    PortUnreachable,

    /// <summary>The test changed the network: an address, a partition, or the state of a host.</summary>
    Changed,
}
