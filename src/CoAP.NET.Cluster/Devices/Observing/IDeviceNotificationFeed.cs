namespace CoAP.NET.Cluster.Devices.Observing;

/// <summary>The states of an observed resource at the node of the device. Used by one caller at a time.</summary>
internal interface IDeviceNotificationFeed
{
    /// <summary>Waits until there is another state than returned last. States between them are skipped.</summary>
    Task<DeviceNotification> NextAsync(CancellationToken cancellationToken);

    /// <summary>Deregisters at the device, without waiting. Thread-safe.</summary>
    void End();
}
