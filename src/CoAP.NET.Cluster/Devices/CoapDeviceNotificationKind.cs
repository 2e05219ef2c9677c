namespace CoAP.NET.Cluster;

/// <summary>The events of devices that are observed together (<see cref="ICoapDevices.ObserveAsync"/>).</summary>
public enum CoapDeviceNotificationKind
{
    /// <summary>A device is connected to any node, and is about to be observed.</summary>
    Came,

    /// <summary>The resource of a device has a new state for the observer.</summary>
    Notified,

    /// <summary>
    /// A device is connected but not observed, because of <see cref="CoapDeviceRefusal"/>. The node retries occasionally, and reports the
    /// device again only if its answer has another code or reason.
    /// </summary>
    Refused,

    /// <summary>
    /// A device left: its session or connection ended, or its node died and no other node has the device after
    /// <see cref="CoapDeviceOptions.AwayTime"/>.
    /// </summary>
    Went,
}
