using System.Collections.Concurrent;
using CoAP.NET.Cluster;
using Microsoft.Extensions.Options;
using Orleans.Runtime;

namespace CoAP.NET.Orleans;

/// <summary>
/// The devices of this silo, for the other silos: reports their sessions to their grains, and sends requests to them and observes them.
/// Thread-safe.
/// </summary>
/// <param name="cluster">The node.</param>
/// <param name="options">The options of the node.</param>
/// <param name="grains">The grains.</param>
/// <param name="silo">The silo.</param>
/// <param name="time">The clock.</param>
internal sealed class DeviceGateway(
    CoapCluster cluster, IOptions<CoapClusterOptions> options, IGrainFactory grains, ILocalSiloDetails silo, TimeProvider time)
    : IDisposable
{
    // After a crash very many devices come at once.
    private const int MaxReports = 512;
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_poll = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_notePeriod = TimeSpan.FromMinutes(15);

    private readonly DeviceRecords _records = new(cluster, options.Value.Devices.RememberFor, slot => cluster.Map[slot].Fence);
    private readonly ClusterDevices _devices = (ClusterDevices)cluster.Devices;
    private readonly ConcurrentDictionary<LocalDevice, long> _numbers = new();
    private readonly ConcurrentDictionary<(Guid From, long Number), PolledObservation> _polled = new();
    private readonly SemaphoreSlim _reports = new(MaxReports);
    private readonly CancellationTokenSource _stop = new();
    private ITimer? _sweep;
    private ITimer? _notes;
    private long _lastNumber;
    private long _reported;

    /// <summary>The devices of this silo by name.</summary>
    public LocalDevices Local => _devices.Local;

    /// <summary>The current number of observations for nodes.</summary>
    public int PolledCount => _polled.Count;

    /// <summary>The number of sessions that were reported to their grains.</summary>
    public long ReportedCount => Interlocked.Read(ref _reported);

    /// <summary>The records of all devices. Any silo may write one: the newest note replaces it.</summary>
    public DeviceRecords Records => _records;

    /// <summary>Returns what this silo knows of a device; null if it does not have it.</summary>
    /// <param name="name">The name.</param>
    public DeviceSighting? TryFind(string name) => Local.TryFind(name) is { } device
        ? new DeviceSighting(
            SilenceOf(device), device.LastHeard, device.IsAsleep, cluster.Self.Id.Value, _numbers.GetValueOrDefault(device))
        : null;

    /// <summary>Removes a session of a device.</summary>
    /// <param name="name">The name.</param>
    /// <param name="number">The number of the session; null for any.</param>
    /// <param name="isForgotten">Whether the device is forgotten. Otherwise it has a newer session elsewhere.</param>
    public void Drop(string name, long? number, bool isForgotten)
    {
        if (Local.TryFind(name) is not { } device || (number is { } old && _numbers.GetValueOrDefault(device) != old))
        {
            return;
        }

        // Its end is not reported, and not noted.
        _numbers.TryRemove(device, out _);
        if (!isForgotten)
        {
            _ = AddWhenHeardAsync(device);
        }

        Local.Remove(device);
    }

    /// <summary>Waits for some time until a device is awake.</summary>
    /// <param name="name">The name.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>Whether it is awake; null if it is not here.</returns>
    public async Task<bool?> WhenAwakeAsync(string name, CancellationToken cancellationToken)
    {
        if (Local.TryFind(name) is not { } device)
        {
            return null;
        }

        using CancellationTokenSource longest = new(s_poll, time);
        using CancellationTokenSource any =
            CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, device.Gone, longest.Token);
        await device.WhenAwakeAsync(any.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        cancellationToken.ThrowIfCancellationRequested();
        return device.Gone.IsCancellationRequested ? null : !device.IsAsleep;
    }

    /// <summary>Answers a question about the outboxes of this node.</summary>
    /// <param name="question">The question.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    public async Task<byte[]> AskOutboxAsync(byte[] question, CancellationToken cancellationToken) => DeviceBytes.Of(
        await _devices.Outbox.ServeAsync(DeviceBytes.RequestOf(question), cancellationToken).ConfigureAwait(false));

    /// <summary>Sends a request of another silo to a device.</summary>
    /// <param name="request">The request.</param>
    /// <param name="timeout">Its timeout; null for that of the session.</param>
    /// <param name="cancellationToken">Aborts it.</param>
    /// <returns>The response or the failure.</returns>
    public async Task<byte[]> AskAsync(byte[] request, TimeSpan? timeout, CancellationToken cancellationToken)
    {
        // The service of the node runs on one thread.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        CoapRequest wrapped = DeviceBytes.RequestOf(request);
        if (DeviceName.TryDecode(DeviceWire.DeviceOf(wrapped)) is not { } name || Local.TryFind(name) is not { } device)
        {
            return DeviceBytes.Of(DeviceWire.Wrap((CoapDeviceException?)null));
        }

        CoapRequest asked = DeviceWire.Unwrap(wrapped);
        asked.Timeout = timeout;
        bool isSafe = DeviceBytes.IsSafe(asked);
        try
        {
            return await device.TrySendAsync(asked, cancellationToken).ConfigureAwait(false) is { } response
                ? DeviceBytes.Of(name, response, isSafe)
                : DeviceBytes.Of(DeviceWire.Wrap(new CoapDeviceUnreachableException(
                    name, "its session moved to another silo before it answered.", !isSafe)
                { HasMoved = true }));
        }
        catch (CoapDeviceException exception)
        {
            return DeviceBytes.Of(DeviceWire.Wrap(exception));
        }
    }

    /// <summary>Observes a device for a node, until the node no longer polls.</summary>
    /// <param name="from">The node.</param>
    /// <param name="number">The number of the observation at that node.</param>
    /// <param name="resource">The resource; empty for an observation that has begun.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The state, when it is another one than returned last, or after some time.</returns>
    public async Task<DeviceNews> ObserveAsync(Guid from, long number, byte[] resource, CancellationToken cancellationToken)
    {
        // The service of the node runs on one thread.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        if (_polled.TryGetValue((from, number), out PolledObservation? polled))
        {
            return await polled.NextAsync(s_poll, cancellationToken).ConfigureAwait(false);
        }

        if (resource.Length == 0 || ObservedResource.Read(DeviceBytes.RequestOf(resource)) is not { } observed
            || Local.TryFind(observed.Device) is not { } device)
        {
            return new DeviceNews(CoapObserveState.Failed, DeviceBytes.Of(DeviceWire.Wrap((CoapDeviceException?)null)));
        }

        _polled[(from, number)] = polled = new PolledObservation(device, time);
        try
        {
            await polled.BeginAsync(observed, cancellationToken).ConfigureAwait(false);
            return await polled.NextAsync(s_poll, cancellationToken).ConfigureAwait(false);
        }
        catch (CoapException exception)
        {
            EndObservation(from, number);
            return new DeviceNews(CoapObserveState.Failed, DeviceBytes.Of(DeviceWire.Wrap(device.FailureOf(exception))));
        }
        catch (OperationCanceledException)
        {
            EndObservation(from, number);
            throw;
        }
    }

    /// <summary>Ends an observation for a node.</summary>
    /// <param name="from">The node.</param>
    /// <param name="number">The number of the observation at that node.</param>
    public void EndObservation(Guid from, long number)
    {
        if (_polled.TryRemove((from, number), out PolledObservation? polled))
        {
            polled.End();
        }
    }

    public void Dispose()
    {
        _stop.Cancel();
        _sweep?.Dispose();
        _notes?.Dispose();
    }

    /// <summary>Starts to report devices: the silo can call grains.</summary>
    /// <param name="router">Finds devices at all silos.</param>
    public void Start(IDeviceRouter router)
    {
        _devices.Router = router;
        Local.Came += OnCame;
        foreach (LocalDevice device in Local.All)
        {
            OnCame(device);
        }

        _sweep = time.CreateTimer(static gateway => ((DeviceGateway)gateway!).Sweep(), this, s_poll, s_poll);
        _notes = time.CreateTimer(static gateway => ((DeviceGateway)gateway!).NoteAll(), this, s_notePeriod, s_notePeriod);
        cluster.MapChanged += OnMapChanged;
        NoteAll();
    }

    /// <summary>Ends.</summary>
    public void Stop()
    {
        cluster.MapChanged -= OnMapChanged;
        Local.Came -= OnCame;
        Dispose();
        foreach ((Guid from, long number) in _polled.Keys)
        {
            EndObservation(from, number);
        }

        NoteAll();
    }

    // Notes what came before the slots of names had owners.
    private void OnMapChanged(object? sender, EventArgs arguments) => NoteAll();

    private TimeSpan SilenceOf(LocalDevice device)
    {
        TimeSpan silence = time.GetUtcNow() - device.LastHeard;
        return silence > TimeSpan.Zero ? silence : TimeSpan.Zero;
    }

    private void OnCame(LocalDevice device)
    {
        long number = Interlocked.Increment(ref _lastNumber);
        if (_numbers.TryAdd(device, number))
        {
            _ = ReportAsync(device, number);
        }
    }

    private async Task ReportAsync(LocalDevice device, long number)
    {
        // The caller may be the receiving thread.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        Note(device, isHint: false);
        IDevicePlaces places = grains.GetGrain<IDevicePlaces>(device.Name);
        bool isReported = false;
        bool isNew = !device.HasMoved;
        while (!isReported && !device.Gone.IsCancellationRequested && !_stop.IsCancellationRequested)
        {
            await _reports.WaitAsync().ConfigureAwait(false);
            try
            {
                if (!await places.CameAsync(silo.SiloAddress, number, isNew ? null : SilenceOf(device)).ConfigureAwait(false))
                {
                    Drop(device.Name, number, isForgotten: false);
                }

                isReported = true;
                Interlocked.Increment(ref _reported);
            }
#pragma warning disable CA1031 // whatever the reason: it is reported again
            catch (Exception)
#pragma warning restore CA1031
            {
                // The grain's silo died, or this one is starting or ending.
            }
            finally
            {
                _reports.Release();
            }

            if (!isReported)
            {
                // Another session may have come meanwhile.
                isNew = false;
                await Task.Delay(s_retry, time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }

        _ = device.Gone.UnsafeRegister(static state =>
        {
            (DeviceGateway gateway, LocalDevice device) = ((DeviceGateway, LocalDevice))state!;
            _ = gateway.ReportEndAsync(device);
        }, (this, device));
    }

    private async Task ReportEndAsync(LocalDevice device)
    {
        if (!_numbers.TryRemove(device, out long number))
        {
            return;
        }

        Note(device, isHint: true);
        try
        {
            await grains.GetGrain<IDevicePlaces>(device.Name).WentAsync(silo.SiloAddress, number).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // whatever the reason: the next caller is told that the device is not here
        catch (Exception)
#pragma warning restore CA1031
        {
            // The grain's silo died, or this one is ending.
        }
    }

    // The grain may have chosen the wrong session. The device is where it speaks.
    private async Task AddWhenHeardAsync(LocalDevice device)
    {
        DateTimeOffset before = device.LastHeard;
        await device.Peer.WhenHeardAsync(_stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Task.Delay(s_retry, time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (device.LastHeard > before && !device.Peer.Disconnected.IsCancellationRequested && !_stop.IsCancellationRequested)
        {
            Local.Add(device.Name, device.Key.ToArray(), device.Peer);
        }
    }

    private void NoteAll()
    {
        CoapClusterMap map = cluster.Map;
        foreach (LocalDevice device in Local.All.Where(device => !device.IsNotedWhole(map[CoapSlot.OfName(device.Key.Span)].Fence)))
        {
            Note(device, isHint: device.IsNoted);
        }
    }

    private void Note(LocalDevice device, bool isHint)
    {
        DateTimeOffset heard = device.LastHeard;
        CoapFence fence = cluster.Map[CoapSlot.OfName(device.Key.Span)].Fence;
        if (_records.TryNote(device.Key.Span, new DeviceRecord(heard, cluster.Self.Id), isHint))
        {
            device.OnNoted(heard, fence);
        }
    }

    private void Sweep()
    {
        foreach (((Guid from, long number), PolledObservation polled) in _polled)
        {
            if (time.GetElapsedTime(polled.PolledAt) > 5 * s_poll)
            {
                EndObservation(from, number);
            }
        }
    }
}
