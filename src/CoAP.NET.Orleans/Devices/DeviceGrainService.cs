using Microsoft.Extensions.Logging;
using Orleans.Runtime;

namespace CoAP.NET.Orleans.Devices;

/// <summary>Passes calls of other silos on to the devices of this one.</summary>
/// <param name="id">Its id.</param>
/// <param name="silo">The silo.</param>
/// <param name="loggers">The logs.</param>
/// <param name="devices">The devices of this silo.</param>
internal sealed class DeviceGrainService(GrainId id, Silo silo, ILoggerFactory loggers, DeviceGateway devices)
    : GrainService(id, silo, loggers), ICoapDeviceService
{
    /// <inheritdoc/>
    public Task<DeviceSighting?> FindAsync(string device, CancellationToken cancellationToken) => Task.FromResult(devices.Find(device));

    /// <inheritdoc/>
    public Task<CoapDeviceAnswer> SendAsync(string device, CoapRequest request, CancellationToken cancellationToken) =>
        devices.SendAsync(device, request, cancellationToken);

    /// <inheritdoc/>
    public Task<DeviceResourceState?> ObserveAsync(
        Guid from, string device, long number, DeviceResource? resource, CancellationToken cancellationToken) =>
        devices.ObserveAsync(from, device, number, resource, cancellationToken);

    /// <inheritdoc/>
    public Task EndObservationAsync(Guid from, long number)
    {
        devices.EndObservation(from, number);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task<bool?> WhenAwakeAsync(string device, CancellationToken cancellationToken) =>
        devices.WhenAwakeAsync(device, cancellationToken);

    /// <inheritdoc/>
    public Task DropAsync(string device, long session)
    {
        devices.Drop(device, session, isForgotten: false);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task ForgetAsync(string device, CancellationToken cancellationToken) => devices.ForgetAsync(device, cancellationToken);
}
