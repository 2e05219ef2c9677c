namespace CoAP.NET.Cluster;

/// <summary>What happens at devices that are observed together (<see cref="ICoapDevices.ObserveAsync"/>).</summary>
public enum CoapDeviceNotificationKind
{
    /// <summary>A device is there, on any node, and is about to be observed.</summary>
    Came,

    /// <summary>The resource of a device has a state that is new to the observer.</summary>
    Notified,

    /// <summary>
    /// A device is there and is not observed, for the reason that <see cref="CoapDeviceRefusal"/> gives. It is asked again now and then,
    /// and said again only when its answer has another code or reason.
    /// </summary>
    Refused,

    /// <summary>
    /// A device is not there any more: its session or connection has ended, or its node has and no other node has the device after
    /// <see cref="CoapDeviceOptions.AwayTime"/>.
    /// </summary>
    Went,
}
