namespace CoAP.NET.Cluster;

/// <summary>Whether a device is reachable.</summary>
public enum CoapDevicePresence
{
    /// <summary>No node has ever seen it, or the cluster has forgotten it.</summary>
    Unknown,

    /// <summary>It is connected to a node, and accepts requests.</summary>
    Awake,

    /// <summary>
    /// It did not answer recently, or has no session or connection. It is reachable after its next message; see
    /// <see cref="CoapDeviceOptions.TriesBeforeAsleep"/>.
    /// </summary>
    Asleep,
}
