namespace CoAP.NET.Cluster;

/// <summary>The reason why a node got no answer of a device, as sent to another node.</summary>
internal enum DeviceFault : byte
{
    /// <summary>The node does not have the device.</summary>
    NotHere,

    /// <summary>The device is asleep.</summary>
    Asleep,

    /// <summary>The device did not answer.</summary>
    Unreachable,

    /// <summary>Another reason; see the text.</summary>
    Other,

    /// <summary>Its session moved to another node before the answer, and the request may be sent there.</summary>
    Moved,
}
