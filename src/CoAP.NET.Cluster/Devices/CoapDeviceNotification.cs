namespace CoAP.NET.Cluster;

/// <summary>An event of one of the devices that are observed together (<see cref="ICoapDevices.ObserveAsync"/>). Immutable.</summary>
/// <param name="Device">The name of the device. The device authenticated it, but it may be any text: do not trust its content.</param>
/// <param name="Kind">The kind of event.</param>
/// <param name="Response">With <see cref="CoapDeviceNotificationKind.Notified"/> the newest state of the resource. With
/// <see cref="CoapDeviceNotificationKind.Refused"/> the response of the device; null if it is too large to keep. Otherwise null.</param>
/// <param name="Refusal">With <see cref="CoapDeviceNotificationKind.Refused"/> the reason; otherwise null.</param>
public sealed record CoapDeviceNotification(
    string Device, CoapDeviceNotificationKind Kind, CoapResponse? Response = null, CoapDeviceRefusal? Refusal = null)
{
    /// <summary>Returns a human-readable line about the event.</summary>
    /// <returns>The text.</returns>
    public override string ToString()
    {
        string why = Refusal is { } refusal ? $" ({refusal})" : "";
        return $"{CoapForeignText.LineOf(Device)}: {Kind}{why} {Response?.Code}".TrimEnd();
    }
}
