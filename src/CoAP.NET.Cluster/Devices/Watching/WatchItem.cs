namespace CoAP.NET.Cluster;

/// <summary>A report of a node about a device that is observed with all others.</summary>
/// <param name="Kind">The kind of event.</param>
/// <param name="Device">The name of the device.</param>
/// <param name="Response">Its message; null for none.</param>
/// <param name="Refusal">The reason why it is not observed.</param>
/// <param name="HasMoved">For a device that left: whether another node is known to have it.</param>
internal readonly record struct WatchItem(
    CoapDeviceNotificationKind Kind, string Device, CoapResponse? Response = null, CoapDeviceRefusal? Refusal = null,
    bool HasMoved = false);
