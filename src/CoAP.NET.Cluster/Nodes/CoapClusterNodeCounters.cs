namespace CoAP.NET.Cluster;

/// <summary>
/// Counts what happened to the slots of a node, and to datagrams for other nodes (<see cref="CoapCluster.GetNodeCounters"/>).
/// </summary>
public sealed record CoapClusterNodeCounters
{
    /// <summary>Slots that the node took because no live node had them, such as at its start or after a node died.</summary>
    public long Taken { get; init; }

    /// <summary>Slots that it handed over to other nodes, to share them or to leave.</summary>
    public long HandedOver { get; init; }

    /// <summary>Slots that other nodes took from it because it seemed dead, such as after a pause of the process.</summary>
    public long Lost { get; init; }

    /// <summary>Slots that it is handing over at the moment.</summary>
    public int Moving { get; init; }

    /// <summary>Datagrams that it relayed to the nodes that have their sessions.</summary>
    public long Relayed { get; init; }

    /// <summary>Datagrams that other nodes relayed to this one.</summary>
    public long RelaysReceived { get; init; }

    /// <summary>Answers of other nodes that it sent to clients whose datagrams it had relayed.</summary>
    public long RelaysReturned { get; init; }

    /// <summary>Datagrams that it did not relay because their source had used up its share.</summary>
    public long RelaysRefused { get; init; }

    /// <summary>
    /// Relayed datagrams that it dropped because their slot had moved on, none is relayed twice; and datagrams to clients without a
    /// Connection ID that the node which relayed them relays no more.
    /// </summary>
    public long RelaysStray { get; init; }

    /// <summary>
    /// Relayed datagrams and answers that other nodes sent to this one and that did not arrive, such as when its sockets were full. Known
    /// as soon as 1,024 further ones have arrived.
    /// </summary>
    public long RelaysLost { get; init; }

    /// <summary>Datagrams that are held at the moment because their slots are moving.</summary>
    public int Holding { get; init; }

    /// <summary>Datagrams that were held.</summary>
    public long Held { get; init; }

    /// <summary>Held datagrams that were dropped because they had waited too long or there were too many.</summary>
    public long HeldDropped { get; init; }
}
