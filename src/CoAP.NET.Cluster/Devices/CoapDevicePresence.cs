namespace CoAP.NET.Cluster;

/// <summary>Whether a device can be asked.</summary>
public enum CoapDevicePresence
{
    /// <summary>No node has ever seen it, or it was forgotten.</summary>
    Unknown,

    /// <summary>It is connected to a node, and may be asked.</summary>
    Awake,

    /// <summary>
    /// It did not answer lately, or has no session or connection: it can be asked when it has said something, see
    /// <see cref="CoapDeviceOptions.TriesBeforeAsleep"/>.
    /// </summary>
    Asleep,
}
