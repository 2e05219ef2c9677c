using CoAP.NET.Cluster.Devices.Observing;

namespace CoAP.NET.Cluster.Devices;

/// <summary>Reaches the devices of this node only: the one active node of a cluster has all of them. Thread-safe.</summary>
internal sealed class LocalDeviceRouter(LocalDevices local, DeviceRecords records) : IDeviceRouter
{
    public async Task<CoapResponse?> TrySendAsync(string name, CoapRequest request, CancellationToken cancellationToken) =>
        local.TryFind(name) is { } device ? await device.SendAsync(request, cancellationToken).ConfigureAwait(false) : null;

    public async Task<IDeviceNotificationFeed?> TryObserveAsync(
        ObservedResource resource, IDeviceNotificationFeed? wrong, CancellationToken cancellationToken) =>
        local.TryFind(resource.Device) is { } device
            ? await LocalDeviceObservation.StartAsync(device, resource, cancellationToken).ConfigureAwait(false)
            : null;

    public Task<CoapDeviceStatus?> FindAsync(string name, CancellationToken cancellationToken) =>
        Task.FromResult(local.TryFind(name) is { } device ? local.StatusOf(device) : null);

    public async Task WhenAwakeAsync(string name, CancellationToken cancellationToken)
    {
        while (true)
        {
            await local.WhenHereAsync(name, cancellationToken).ConfigureAwait(false);
            if (local.TryFind(name) is { } device && await device.WhenAwakeOrGoneAsync(cancellationToken).ConfigureAwait(false))
            {
                return;
            }
        }
    }

    public Task<bool> TryForgetAsync(string name, CancellationToken cancellationToken)
    {
        local.Remove(name);
        return records.TryRemoveAsync(name, cancellationToken);
    }
}
