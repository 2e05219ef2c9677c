namespace CoAP.NET.Cluster;

/// <summary>What happened at one of the devices that are observed together (<see cref="ICoapDevices.ObserveAsync"/>). Immutable.</summary>
/// <param name="Device">The name of the device. It is what the device proved, and may be any text: treat it as such.</param>
/// <param name="Kind">What happened.</param>
/// <param name="Response">
/// The newest state of the resource with <see cref="CoapDeviceNotificationKind.Notified"/>. With
/// <see cref="CoapDeviceNotificationKind.Refused"/> what the device answered; null when that is too large to be kept. Otherwise null.
/// </param>
/// <param name="Refusal">Why the device is not observed, with <see cref="CoapDeviceNotificationKind.Refused"/>; otherwise null.</param>
public sealed record CoapDeviceNotification(
    string Device, CoapDeviceNotificationKind Kind, CoapResponse? Response = null, CoapDeviceRefusal? Refusal = null)
{
    /// <summary>What happened, as one line for people.</summary>
    /// <returns>The text.</returns>
    public override string ToString()
    {
        string why = Refusal is { } refusal ? $" ({refusal})" : "";
        return $"{CoapForeignText.LineOf(Device)}: {Kind}{why} {Response?.Code}".TrimEnd();
    }
}
