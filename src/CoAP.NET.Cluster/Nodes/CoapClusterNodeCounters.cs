namespace CoAP.NET.Cluster.Nodes;

/// <summary>The counters of a node: slots, relayed datagrams and datagrams that wait for a slot.</summary>
internal sealed record CoapClusterNodeCounters
{
    /// <summary>Slots that the node took because they had no live owner, for example at its start or after a node failed.</summary>
    public long Taken { get; init; }

    /// <summary>Slots that it handed over to other nodes, to share them or to leave.</summary>
    public long HandedOver { get; init; }

    /// <summary>Slots that other nodes took from it because it seemed dead, for example after a pause of the process.</summary>
    public long Lost { get; init; }

    /// <summary>Slots that it is currently handing over.</summary>
    public int Moving { get; init; }

    /// <summary>Datagrams that it relayed to the nodes of their sessions.</summary>
    public long Relayed { get; init; }

    public long RelaysReceived { get; init; }

    /// <summary>Answers of other nodes that it sent to clients whose datagrams it had relayed.</summary>
    public long RelaysReturned { get; init; }

    /// <summary>Datagrams that it did not relay because their source had used up its share.</summary>
    public long RelaysRefused { get; init; }

    /// <summary>
    /// Relayed datagrams dropped because their slot had moved again (none is relayed twice), and datagrams to clients without a Connection
    /// ID whose relaying node no longer relays them.
    /// </summary>
    public long RelaysStray { get; init; }

    /// <summary>
    /// Relayed datagrams and answers that were sent to this node and did not arrive, for example because its sockets were full. Known after
    /// 1,024 further ones have arrived.
    /// </summary>
    public long RelaysLost { get; init; }

    /// <summary>Datagrams that currently wait in the queue, because their slots are moving.</summary>
    public int DatagramsWaiting { get; init; }

    /// <summary>Datagrams that were queued because their slots were moving.</summary>
    public long DatagramsQueued { get; init; }

    /// <summary>Queued datagrams dropped because they had waited too long or there were too many.</summary>
    public long QueuedDatagramsDropped { get; init; }
}
