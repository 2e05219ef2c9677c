using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>Finds devices and asks them: here, or where they are. Thread-safe.</summary>
internal sealed class ClusterDevices : ICoapDevices, IDisposable
{
    private readonly CoapCluster _cluster;
    private readonly DeviceRecords _records;

    public ClusterDevices(CoapCluster cluster, CoapDeviceOptions options, TimeProvider time, ILogger logger)
    {
        _cluster = cluster;
        options = options.Clone();
        _records = new DeviceRecords(cluster, options.RememberFor);
        Local = new LocalDevices(cluster, options, _records, time, logger);
        cluster.MapChanged += OnMapChanged;
    }

    /// <summary>Those of this node.</summary>
    public LocalDevices Local { get; }

    public ICoapDevice this[string name] => new ClusterDevice(this, name, DeviceName.Encode(name));

    public IReadOnlyList<CoapDeviceStatus> GetLocal() => [.. Local.All.Select(StatusOf)];

    public void Announce(string name, CoapPeer peer)
    {
        byte[] key = DeviceName.Encode(name);
        ArgumentNullException.ThrowIfNull(peer);
        Local.Add(name, key, peer);
    }

    public async Task ForgetAsync(string name, CancellationToken cancellationToken = default)
    {
        byte[] key = DeviceName.Encode(name);
        Local.Remove(name);
        if (!await _records.TryRemoveAsync(key, cancellationToken).ConfigureAwait(false))
        {
            throw new CoapClusterStoreException(CoapClusterStoreFault.Unavailable,
                "This node does not have the slot of the device's name, and no node that has it could be told. Try again.");
        }
    }

    /// <summary>Asks a device.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    public async Task<CoapResponse> SendAsync(string name, byte[] key, CoapRequest request, CancellationToken cancellationToken)
    {
        LocalDevice device = Local.TryFind(name) ?? throw await FailureAsync(name, key, cancellationToken).ConfigureAwait(false);
        return await device.SendAsync(request, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Observes a resource of a device.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="request">The request.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    public async Task<CoapObservation> ObserveAsync(
        string name, byte[] key, CoapRequest request, CoapObserveOptions? options, CancellationToken cancellationToken)
    {
        LocalDevice device = Local.TryFind(name) ?? throw await FailureAsync(name, key, cancellationToken).ConfigureAwait(false);
        return await device.Peer.ObserveAsync(request, options, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>What is known of a device.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async Task<CoapDeviceStatus> GetStatusAsync(string name, byte[] key, CancellationToken cancellationToken)
    {
        if (Local.TryFind(name) is { } device)
        {
            return StatusOf(device);
        }

        return await RememberAsync(name, key, cancellationToken).ConfigureAwait(false) is { } record
            ? new CoapDeviceStatus(name, CoapDevicePresence.Asleep, record.LastHeard, default)
            : new CoapDeviceStatus(name, CoapDevicePresence.Unknown, null, default);
    }

    public void Dispose()
    {
        _cluster.MapChanged -= OnMapChanged;
        Local.Dispose();
    }

    private CoapDeviceStatus StatusOf(LocalDevice device) => new(
        device.Name, device.IsAsleep ? CoapDevicePresence.Asleep : CoapDevicePresence.Awake, device.LastHeard, _cluster.Self.Id);

    // No node has it.
    private async Task<CoapDeviceException> FailureAsync(string name, byte[] key, CancellationToken cancellationToken) =>
        await RememberAsync(name, key, cancellationToken).ConfigureAwait(false) is { } record
            ? new CoapDeviceAsleepException(name, record.LastHeard)
            : new CoapDeviceUnknownException(name);

    private async ValueTask<DeviceRecord?> RememberAsync(string name, byte[] key, CancellationToken cancellationToken)
    {
        try
        {
            return await _records.FindAsync(key, cancellationToken).ConfigureAwait(false);
        }
        catch (CoapClusterStoreException exception)
        {
            throw new CoapDeviceUnreachableException(name,
                $"no node has its session, and the store that remembers devices is away. {exception.Message}", false, exception);
        }
    }

    // What was heard before this node had its slots.
    private void OnMapChanged(object? sender, EventArgs arguments) => Local.NoteAll();
}
