namespace CoAP.NET.Cluster;

/// <summary>The status of a device at a moment.</summary>
public sealed class CoapDeviceStatus
{
    internal CoapDeviceStatus(string name, CoapDevicePresence presence, DateTimeOffset? lastHeard, string? node)
    {
        Name = name;
        Presence = presence;
        LastHeard = lastHeard;
        Node = node;
    }

    /// <summary>Its name.</summary>
    public string Name { get; }

    /// <summary>Whether it is reachable.</summary>
    public CoapDevicePresence Presence { get; }

    /// <summary>The time of its last message, if known; null for an unknown device.</summary>
    /// <remarks>Exact at the node that has its session; after a crash of that node up to 15 minutes old.</remarks>
    public DateTimeOffset? LastHeard { get; }

    /// <summary>The id of the node that has its session or connection, as in logs; null if none has.</summary>
    public string? Node { get; }
}
