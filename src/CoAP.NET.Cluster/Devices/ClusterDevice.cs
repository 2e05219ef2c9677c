using CoAP.NET.Cluster.Devices.Outbox;
using CoAP.NET.Diagnostics;
using CoAP.NET.Settings;

namespace CoAP.NET.Cluster.Devices;

/// <summary>A device by name. Each request looks it up again because it may have moved to another node.</summary>
internal sealed class ClusterDevice(ClusterDevices devices, string name) : ICoapDevice
{
    public string Name { get; } = name;

    public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        return devices.SendAsync(Name, request, cancellationToken);
    }

    public Task<CoapObservation> ObserveAsync(
        CoapRequest request, CoapObservationOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        return devices.Observations.ObserveAsync(Name, request, options, cancellationToken);
    }

    public Task<CoapDeviceStatus> GetStatusAsync(CancellationToken cancellationToken = default) =>
        devices.GetStatusAsync(Name, cancellationToken);

    public Task<CoapResponse> SendAsync(
        CoapRequest request, CoapDeviceRequestOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(options);
        options.MakeReadOnly("a request");
        return options.Queue ? QueueAndWaitAsync(request, options, cancellationToken) : SendAsync(request, cancellationToken);
    }

    public async Task<CoapQueuedRequest> QueueAsync(
        CoapRequest request, CoapDeviceRequestOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        OutboxEntry entry = await devices.MakeEntryAsync(
            Name, request, (options ?? new CoapDeviceRequestOptions()).MakeReadOnlyFor("a request"), cancellationToken)
            .ConfigureAwait(false);
        return await devices.Outbox.AddAsync(entry, cancellationToken).ConfigureAwait(false);
    }

    public Task<CoapResponse> WaitAsync(Guid id, CancellationToken cancellationToken = default) =>
        devices.Outbox.WaitAsync(Name, id, cancellationToken);

    public Task<IReadOnlyList<CoapQueuedRequest>> GetQueuedAsync(CancellationToken cancellationToken = default) =>
        devices.Outbox.ListAsync(Name, cancellationToken);

    public Task<bool> CancelAsync(Guid id, CancellationToken cancellationToken = default) =>
        devices.Outbox.CancelAsync(Name, id, cancellationToken);

    public override string ToString() => CoapUntrustedText.LineOf(Name);

    private async Task<CoapResponse> QueueAndWaitAsync(
        CoapRequest request, CoapDeviceRequestOptions options, CancellationToken cancellationToken)
    {
        CoapQueuedRequest queued = await QueueAsync(request, options, cancellationToken).ConfigureAwait(false);
        try
        {
            return await WaitAsync(queued.Id, cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            devices.Outbox.Abandon(Name, queued.Id);
            throw;
        }
    }
}
