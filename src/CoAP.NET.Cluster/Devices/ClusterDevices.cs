using CoAP.NET.Cluster.Devices.Observing;
using CoAP.NET.Cluster.Devices.Outbox;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Telemetry;
using CoAP.NET.Settings;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Devices;

/// <summary>Finds devices and sends requests to them, on this node or on others (<see cref="Router"/>). Thread-safe.</summary>
internal sealed class ClusterDevices : ICoapDevices, IDisposable
{
    private readonly CoapCluster _cluster;
    private readonly DeviceOutboxes _outboxes;
    private readonly CoapRandomSource _random;
    private readonly TimeProvider _time;

    public ClusterDevices(
        CoapCluster cluster, CoapDeviceOptions options, TimeProvider time, CoapRandomSource random, ILogger logger)
    {
        _cluster = cluster;
        _time = time;
        _random = random;
        Records = new DeviceRecords(cluster, options.RememberFor);
        Local = new LocalDevices(cluster, options, Records, time, logger);
        Router = new LocalDeviceRouter(Local, Records);
        Observations = new DeviceObservations(this, options, time, random, logger);
        _outboxes = new DeviceOutboxes(cluster, this, options, time);
        Outbox = new DeviceOutboxRouter(cluster, _outboxes, time);
        cluster.MapChanged += OnMapChanged;
    }

    /// <summary>Finds devices: at this node, unless something else connects the nodes.</summary>
    public IDeviceRouter Router { get; set; }

    /// <summary>The state that moves with the slots of names.</summary>
    public ISlotStateHolder SlotState => _outboxes;

    public DeviceOutboxRouter Outbox { get; }

    public LocalDevices Local { get; }

    public DeviceRecords Records { get; }

    public DeviceObservations Observations { get; }

    public ICoapDevice this[string name]
    {
        get
        {
            _ = DeviceName.Encode(name);
            return new ClusterDevice(this, name);
        }
    }

    public IReadOnlyList<CoapDeviceStatus> GetLocal() => [.. Local.All.Select(Local.StatusOf)];

    public void Announce(string name, CoapPeer peer)
    {
        _ = DeviceName.Encode(name);
        ArgumentNullException.ThrowIfNull(peer);
        Local.Add(name, peer);
    }

    public async Task ForgetAsync(string name, CancellationToken cancellationToken = default)
    {
        _ = DeviceName.Encode(name);
        if (!await Router.TryForgetAsync(name, cancellationToken).ConfigureAwait(false))
        {
            throw new CoapClusterStoreException(CoapClusterStoreFault.Unavailable,
                "This node may not change the record of the device: another node is active, or the slot of the device's name is on its way "
                + "to another node. Try again, at the active node.");
        }
    }

    /// <summary>Sends a request to a device.</summary>
    /// <exception cref="CoapDeviceException">There is no answer.</exception>
    public async Task<CoapResponse> SendAsync(string name, CoapRequest request, CancellationToken cancellationToken)
    {
        try
        {
            CoapResponse response = await Router.TrySendAsync(name, request, cancellationToken).ConfigureAwait(false)
                ?? throw await FailureAsync(name, cancellationToken).ConfigureAwait(false);
            _cluster.Counts.Add(ClusterMetric.DevicesAnswered);
            return response;
        }
        catch (CoapDeviceException exception)
        {
            _cluster.Counts.Add(exception.Fault switch
            {
                CoapDeviceFault.Asleep => ClusterMetric.DevicesAsleep,
                CoapDeviceFault.Unknown => ClusterMetric.DevicesUnknown,
                _ => ClusterMetric.DevicesUnreachable,
            });
            throw;
        }
    }

    /// <summary>Creates the outbox entry of a request.</summary>
    /// <exception cref="CoapDeviceException">It cannot be stored, or the device is unknown.</exception>
    public async Task<OutboxEntry> MakeEntryAsync(
        string name, CoapRequest request, CoapDeviceRequestOptions options, CancellationToken cancellationToken)
    {
        if (options.Caller.Length > CoapDeviceRequestOptions.MaxCallerLength)
        {
            throw new ArgumentException(
                $"The caller of a request in an outbox must have at most {CoapDeviceRequestOptions.MaxCallerLength} characters.",
                nameof(options));
        }

        byte[] id = new byte[16];
        _random.Fill(id);
        if (!DeviceRequestMessageFactory.IsWhole(request)
            || OutboxEntry.TryMake(
                new Guid(id), name, DeviceRequestMessageFactory.Of(request), options, _time.GetUtcNow()) is not { } entry)
        {
            throw CoapDeviceException.Queued(name, CoapDeviceFault.TooLarge);
        }

        return (await GetStatusAsync(name, cancellationToken).ConfigureAwait(false)).Presence == CoapDevicePresence.Unknown
            ? throw CoapDeviceException.Unknown(name)
            : entry;
    }

    public async Task<CoapDeviceStatus> GetStatusAsync(string name, CancellationToken cancellationToken)
    {
        if (await Router.FindAsync(name, cancellationToken).ConfigureAwait(false) is { } status)
        {
            return status;
        }

        return await RememberAsync(name, cancellationToken).ConfigureAwait(false) is { } record
            ? new CoapDeviceStatus(name, CoapDevicePresence.Asleep, record.LastHeard, null)
            : new CoapDeviceStatus(name, CoapDevicePresence.Unknown, null, null);
    }

    /// <summary>Returns the reason why a device without a node cannot be reached.</summary>
    public async Task<CoapDeviceException> FailureAsync(string name, CancellationToken cancellationToken) =>
        await RememberAsync(name, cancellationToken).ConfigureAwait(false) is { } record
            ? CoapDeviceException.Asleep(name, record.LastHeard)
            : CoapDeviceException.Unknown(name);

    public void Dispose()
    {
        _cluster.MapChanged -= OnMapChanged;
        _outboxes.Dispose();
        Observations.Dispose();
        Local.Dispose();
    }

    private async ValueTask<DeviceRecord?> RememberAsync(string name, CancellationToken cancellationToken)
    {
        try
        {
            return await Records.FindAsync(name, cancellationToken).ConfigureAwait(false);
        }
        catch (CoapClusterStoreException exception)
        {
            throw CoapDeviceException.Unreachable(name,
                $"no node has its session, and the store that records devices is unavailable. {exception.Message}", false, exception);
        }
    }

    // Notes activity from before the slots of names had owners.
    private void OnMapChanged(object? sender, EventArgs arguments) => Local.NoteAll();
}
