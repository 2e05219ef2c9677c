using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>Connects the nodes: knows which of them are live, and calls them. Orleans does, or a simulation. Thread-safe.</summary>
internal interface INodeNetwork
{
    /// <summary>Raised when <see cref="IsLive"/> may return something else.</summary>
    event Action? LivenessChanged;

    /// <summary>The shortest time after which other nodes may take the slots of a node that does not answer them.</summary>
    TimeSpan DeathDelay { get; }

    /// <summary>The address of this node for other nodes.</summary>
    string Address { get; }

    /// <summary>Whether a node is live; null if its lease in the store decides.</summary>
    bool? IsLive(CoapClusterNode node);

    /// <summary>Returns the address of the host of a node; null if it has none.</summary>
    CoapAddress? HostOf(CoapClusterNode node);

    /// <summary>Returns what calls a node; null if the node has no address of this network, or does not run.</summary>
    INodeService? ServiceOf(CoapClusterNode node);

    /// <summary>This node ends: its records are written, and it releases its lease next.</summary>
    void End();
}
