namespace CoAP.NET.Cluster;

/// <summary>What happened to the slots of a node so far, for <see cref="CoapCluster.GetNodeCounters"/>.</summary>
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
}
