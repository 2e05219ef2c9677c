namespace CoAP.NET.Cluster.Devices.Observing;

/// <summary>The state of an observed resource, as reported by the node of the device.</summary>
/// <param name="State">The state of the observation there. With <see cref="CoapObserveState.Failed"/> it has ended.</param>
/// <param name="Response">The newest response; null if it is that reported before.</param>
/// <param name="Failure">The reason why the resource is not observed at the moment; null if it is, and with a response.</param>
internal readonly record struct DeviceNotification(
    CoapObserveState State, CoapResponse? Response = null, CoapDeviceException? Failure = null)
{
    /// <summary>The node does not have the device any more.</summary>
    public static DeviceNotification Left { get; } = new(CoapObserveState.Failed);

    /// <summary>Whether the node does not have the device any more.</summary>
    public bool HasLeft => this == Left;
}
