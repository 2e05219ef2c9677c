using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Orleans;

// What other nodes ask about devices here.
internal sealed partial class CoapNodeService
{
    private DeviceGateway Devices => field ??= Services.GetRequiredService<DeviceGateway>();

    /// <inheritdoc/>
    public Task<DeviceSighting?> FindDeviceAsync(string name) => Task.FromResult(Devices.TryFind(name));

    /// <inheritdoc/>
    public Task DropDeviceAsync(string name, long? number, bool isForgotten)
    {
        Devices.Drop(name, number, isForgotten);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task<byte[]> AskDeviceAsync(byte[] request, TimeSpan? timeout, CancellationToken cancellationToken) =>
        Devices.AskAsync(request, timeout, cancellationToken);

    /// <inheritdoc/>
    public Task<DeviceNews> ObserveDeviceAsync(Guid from, long number, byte[] resource, CancellationToken cancellationToken) =>
        Devices.ObserveAsync(from, number, resource, cancellationToken);

    /// <inheritdoc/>
    public Task<bool?> WhenDeviceAwakeAsync(string name, CancellationToken cancellationToken) =>
        Devices.WhenAwakeAsync(name, cancellationToken);

    /// <inheritdoc/>
    public Task<byte[]> AskOutboxAsync(byte[] question, CancellationToken cancellationToken) =>
        Devices.AskOutboxAsync(question, cancellationToken);

    /// <inheritdoc/>
    public Task EndObservationAsync(Guid from, long number)
    {
        Devices.EndObservation(from, number);
        return Task.CompletedTask;
    }
}
