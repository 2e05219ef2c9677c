namespace CoAP.NET.Orleans;

/// <summary>The first byte of the answer of a silo about a device.</summary>
internal enum DeviceOutcome : byte
{
    /// <summary>The device responded.</summary>
    Response,

    /// <summary>The silo does not have the device.</summary>
    NotHere,

    /// <summary>The device is asleep.</summary>
    Asleep,

    /// <summary>The device did not answer.</summary>
    Unreachable,

    /// <summary>Its session moved to another silo before the answer, and the request may be sent there.</summary>
    Moved,

    /// <summary>Another reason; see the text.</summary>
    Other,
}
