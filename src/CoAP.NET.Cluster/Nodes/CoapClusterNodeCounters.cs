namespace CoAP.NET.Cluster;

/// <summary>
/// What happened to the slots of a node, and to datagrams for other nodes, so far, for <see cref="CoapCluster.GetNodeCounters"/>.
/// </summary>
public sealed record CoapClusterNodeCounters
{
    /// <summary>How many slots it took that nobody had who was there, as at its start and of nodes that died.</summary>
    public long Taken { get; init; }

    /// <summary>How many slots it handed over to other nodes by itself, to share them or to leave.</summary>
    public long HandedOver { get; init; }

    /// <summary>How many slots other nodes took from it because it seemed dead, as after a pause.</summary>
    public long Lost { get; init; }

    /// <summary>How many slots it is handing over just now.</summary>
    public int Moving { get; init; }

    /// <summary>How many datagrams that arrived here it relayed to the nodes that have their sessions.</summary>
    public long Relayed { get; init; }

    /// <summary>How many datagrams other nodes relayed to this one.</summary>
    public long RelaysReceived { get; init; }

    /// <summary>How many answers of other nodes it sent to the clients that had been heard here.</summary>
    public long RelaysReturned { get; init; }

    /// <summary>How many datagrams it did not relay because so much was relayed that their source had its share.</summary>
    public long RelaysRefused { get; init; }

    /// <summary>How many relayed datagrams it dropped because their slot had moved on; none is relayed twice.</summary>
    public long RelaysStray { get; init; }

    /// <summary>How many datagrams wait here just now for slots that are on their way.</summary>
    public int Holding { get; init; }

    /// <summary>How many have waited so far.</summary>
    public long Held { get; init; }

    /// <summary>How many of them were dropped because they had waited too long or there were too many.</summary>
    public long HeldDropped { get; init; }
}
