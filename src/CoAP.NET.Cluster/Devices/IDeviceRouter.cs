using CoAP.NET.Cluster.Devices.Observing;

namespace CoAP.NET.Cluster.Devices;

/// <summary>Finds the devices of a cluster, and sends requests to them: here, or at all nodes. Thread-safe.</summary>
/// <remarks>The names are valid.</remarks>
internal interface IDeviceRouter
{
    /// <summary>Sends a request to a device.</summary>
    /// <returns>The response; null if no node has the device, and nothing was sent.</returns>
    /// <exception cref="CoapDeviceException">There is no answer.</exception>
    Task<CoapResponse?> TrySendAsync(string name, CoapRequest request, CancellationToken cancellationToken);

    /// <summary>Observes a resource of a device.</summary>
    /// <param name="resource">The resource.</param>
    /// <param name="wrong">An earlier feed that ended because its node no longer had the device; null for none.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The states of the resource; null if no node has the device.</returns>
    /// <exception cref="CoapDeviceException">The device is asleep, or did not answer.</exception>
    Task<IDeviceNotificationFeed?> TryObserveAsync(
        ObservedResource resource, IDeviceNotificationFeed? wrong, CancellationToken cancellationToken);

    /// <summary>Returns the status of a device; null if no node has it.</summary>
    /// <exception cref="CoapDeviceException">A node that may have it did not answer.</exception>
    Task<CoapDeviceStatus?> FindAsync(string name, CancellationToken cancellationToken);

    /// <summary>Waits until a device is awake; may return early.</summary>
    Task WhenAwakeAsync(string name, CancellationToken cancellationToken);

    /// <summary>Forgets a device, and waits for the store.</summary>
    /// <returns>False if this node may not write the record of the device now.</returns>
    Task<bool> TryForgetAsync(string name, CancellationToken cancellationToken);
}
