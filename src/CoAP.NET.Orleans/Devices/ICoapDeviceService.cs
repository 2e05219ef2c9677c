using Orleans.Concurrency;
using Orleans.Services;

namespace CoAP.NET.Orleans.Devices;

/// <summary>
/// What a silo does with the devices that have their session there. There is one per silo, which <see cref="CoapDeviceClient.At"/>
/// addresses.
/// </summary>
[Alias("coap.devices")]
internal interface ICoapDeviceService : IGrainService
{
    /// <summary>Returns what the silo knows of a device; null if it does not have it.</summary>
    [Alias("find"), ResponseTimeout("00:15:00")]
    Task<DeviceSighting?> FindAsync(string device, CancellationToken cancellationToken);

    /// <summary>Sends a request to a device. Cancellation aborts the request.</summary>
    [Alias("send"), ResponseTimeout("00:15:00")]
    Task<CoapDeviceAnswer> SendAsync(string device, CoapRequest request, CancellationToken cancellationToken);

    /// <summary>
    /// Observes a resource, and returns its state when it is another one than returned last, or null after some time. The observation ends
    /// if the silo does not call again.
    /// </summary>
    /// <param name="from">The observing node.</param>
    /// <param name="device">The device.</param>
    /// <param name="number">The number of the observation at that node.</param>
    /// <param name="resource">The resource; null if the observation has begun.</param>
    /// <param name="cancellationToken">Ends the observation.</param>
    [Alias("observe"), ResponseTimeout("00:15:00")]
    Task<DeviceResourceState?> ObserveAsync(
        Guid from, string device, long number, DeviceResource? resource, CancellationToken cancellationToken);

    [Alias("end-observation")]
    Task EndObservationAsync(Guid from, long number);

    /// <summary>Waits for some time until a device is awake.</summary>
    /// <returns>Whether it is; null if the silo does not have it.</returns>
    [Alias("when-awake"), ResponseTimeout("00:15:00")]
    Task<bool?> WhenAwakeAsync(string device, CancellationToken cancellationToken);

    /// <summary>Removes a session of a device: another silo has a newer one.</summary>
    [Alias("drop")]
    Task DropAsync(string device, long session);

    /// <summary>Removes a device, which is forgotten.</summary>
    [Alias("forget"), ResponseTimeout("00:15:00")]
    Task ForgetAsync(string device, CancellationToken cancellationToken);
}
