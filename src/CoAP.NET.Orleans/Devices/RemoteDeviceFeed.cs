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
    SiloDeviceRouter devices, ObservedResource resource, SiloAddress place, RemoteSiloDeviceClient calls, long number)
        : IDeviceNotificationFeed
{
    private byte[] _resource = resource.ToBytes();

    public SiloAddress Silo => place;

    public async Task<DeviceNotification> NextAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            // Only the first call begins something: a later one that arrives after the end must not.
            byte[] begun = Interlocked.Exchange(ref _resource, []);
            byte[] news = await calls.CallAsync(
                place, new DeviceCall(DeviceOperation.Observe, resource.Device, number, null, begun), cancellationToken)
                    .ConfigureAwait(false);
            if (news.Length > 0)
            {
                return DeviceCallSerializer.NotificationOf(news, resource.Device);
            }
        }
    }

    public void End()
    {
        calls.CallAsync(place, new DeviceCall(DeviceOperation.EndObservation, resource.Device, number)).Ignore();
        devices.Forget(resource.Device, place);
    }
}
