using CoAP.NET.Cluster.Devices.Observing;
using Orleans.Runtime;

namespace CoAP.NET.Orleans.Devices;

/// <summary>
/// The states of a resource of a device at another silo, which this one polls: a slow reader skips states, and a dead one costs nothing.
/// </summary>
/// <param name="devices">The devices of all silos.</param>
/// <param name="resource">The resource.</param>
/// <param name="place">The silo of the device.</param>
/// <param name="calls">Calls that silo.</param>
/// <param name="number">The number of the observation at this node.</param>
internal sealed class RemoteDeviceFeed(
    SiloDeviceRouter devices, ObservedResource resource, SiloAddress place, CoapDeviceClient calls, long number)
        : IDeviceNotificationFeed
{
    private DeviceResource? _resource = DeviceResource.Of(resource);

    public SiloAddress Silo => place;

    public async Task<DeviceNotification> NextAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            // Only the first call begins something: a later one that arrives after the end must not.
            DeviceResource? begun = Interlocked.Exchange(ref _resource, null);
            if (await calls.At(place).ObserveAsync(calls.Self, resource.Device, number, begun, cancellationToken).ConfigureAwait(false)
                is { } state)
            {
                return state.ToNotification();
            }
        }
    }

    public void End()
    {
        calls.At(place).EndObservationAsync(calls.Self, number).Ignore();
        devices.Forget(resource.Device, place);
    }
}
