namespace CoAP.NET.Cluster;

/// <summary>What a node tells of a device that is observed with all others.</summary>
/// <param name="Kind">What happened.</param>
/// <param name="Device">The name of the device.</param>
/// <param name="Response">What it said; null for nothing.</param>
/// <param name="Refusal">Why it is not observed.</param>
/// <param name="HasMoved">Of one that went: whether another node has it, as far as is known.</param>
internal readonly record struct WatchItem(
    CoapDeviceNotificationKind Kind, string Device, CoapResponse? Response = null, CoapDeviceRefusal? Refusal = null,
    bool HasMoved = false);
