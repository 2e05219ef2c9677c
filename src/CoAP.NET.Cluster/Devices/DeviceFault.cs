namespace CoAP.NET.Cluster;

/// <summary>Why a node did not get the answer of a device, as it tells another one.</summary>
internal enum DeviceFault : byte
{
    /// <summary>It does not have the device.</summary>
    NotHere,

    /// <summary>The device is asleep.</summary>
    Asleep,

    /// <summary>The device did not answer.</summary>
    Unreachable,

    /// <summary>Something else; the text says what.</summary>
    Other,

    /// <summary>Its session went to another node before it answered, and the request may be sent there.</summary>
    Moved,
}
