namespace CoAP.NET.Cluster;

/// <summary>The node of a device in an observation of all devices, as reported by the nodes. The caller locks.</summary>
internal sealed class FleetPlace
{
    // A moved device is reported by both nodes for a moment.
    private readonly List<CoapNodeId> _nodes = new(1);

    /// <summary>The node that reported the device last; none while it is absent.</summary>
    public CoapNodeId Node => _nodes.Count > 0 ? _nodes[^1] : default;

    /// <summary>The last previous node of the device; none at first.</summary>
    public CoapNodeId Before { get; private set; }

    /// <summary>Whether the node has reported a state of the resource.</summary>
    public bool HasNews { get; set; }

    /// <summary>The time since which no node has the device, as a timestamp of the clock.</summary>
    public long AwaySince { get; set; }

    /// <summary>Whether its last node was lost, perhaps with the latest messages.</summary>
    public bool IsInDoubt { get; set; }

    /// <summary>Whether a node reports that it has the device.</summary>
    public bool Has(CoapNodeId node) => _nodes.Contains(node);

    /// <summary>Adds a node of the device.</summary>
    public void Add(CoapNodeId node)
    {
        if (Node != node)
        {
            _nodes.Remove(node);
            _nodes.Add(node);
            HasNews = false;
        }
    }

    /// <summary>Removes a node of the device.</summary>
    public void Remove(CoapNodeId node)
    {
        if (_nodes.Remove(node))
        {
            Before = node;
        }
    }
}
