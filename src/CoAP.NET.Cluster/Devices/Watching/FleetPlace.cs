namespace CoAP.NET.Cluster;

/// <summary>Where a device is that is observed with all others, as the nodes say. Its caller locks.</summary>
internal sealed class FleetPlace
{
    // One that came to another node is said to be at both for a moment.
    private readonly List<CoapNodeId> _nodes = new(1);

    /// <summary>The node that said last that it has the device; none while it is away.</summary>
    public CoapNodeId Node => _nodes.Count > 0 ? _nodes[^1] : default;

    /// <summary>The node that had it last of those that have it no more; none at first.</summary>
    public CoapNodeId Before { get; private set; }

    /// <summary>Whether the node said anything of the resource.</summary>
    public bool HasNews { get; set; }

    /// <summary>Since when no node has the device, by the clock's timestamp.</summary>
    public long AwaySince { get; set; }

    /// <summary>Whether the last node that had it was lost, and with it perhaps what it had heard.</summary>
    public bool IsInDoubt { get; set; }

    /// <summary>Whether a node says that it has the device.</summary>
    public bool Has(CoapNodeId node) => _nodes.Contains(node);

    /// <summary>A node has the device.</summary>
    public void Add(CoapNodeId node)
    {
        if (Node != node)
        {
            _nodes.Remove(node);
            _nodes.Add(node);
            HasNews = false;
        }
    }

    /// <summary>A node has the device no more.</summary>
    public void Remove(CoapNodeId node)
    {
        if (_nodes.Remove(node))
        {
            Before = node;
        }
    }
}
