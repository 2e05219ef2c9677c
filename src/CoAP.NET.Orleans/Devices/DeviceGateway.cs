using System.Collections.Concurrent;
using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Devices;
using CoAP.NET.Cluster.Devices.Observing;
using CoAP.NET.Cluster.Maps;
using Orleans.Runtime;

namespace CoAP.NET.Orleans.Devices;

/// <summary>
/// The devices of this silo, for the other silos: reports their sessions to their grains, and sends requests to them and observes them.
/// Thread-safe.
/// </summary>
internal sealed class DeviceGateway(
    CoapCluster cluster, IGrainFactory grains, ILocalSiloDetails silo, ISiloStatusOracle silos, TimeProvider time)
    : ISiloStatusListener, IDisposable
{
    // After a crash very many devices come at once.
    private const int MaxReports = 512;
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_poll = TimeSpan.FromSeconds(30);

    private readonly ClusterDevices _devices = (ClusterDevices)cluster.Devices;
    private readonly ConcurrentDictionary<LocalDevice, ReportedSession> _sessions = new();
    private readonly ConcurrentDictionary<(Guid From, long Number), PolledFeed> _polled = new();
    private readonly SemaphoreSlim _reports = new(MaxReports);
    private readonly CancellationTokenSource _stop = new();
    private ITimer? _sweep;
    private long _lastNumber;
    private long _reported;
    private long _found;
    private int _asked;

    /// <summary>The devices of this silo by name.</summary>
    public LocalDevices Local => _devices.Local;

    /// <summary>The current number of observations for nodes.</summary>
    public int PolledCount => _polled.Count;

    /// <summary>The number of sessions that were reported to their grains.</summary>
    public long ReportedCount => Interlocked.Read(ref _reported);

    /// <summary>The number of calls that asked whether this silo has a device.</summary>
    public long FoundCount => Interlocked.Read(ref _found);

    /// <summary>The current number of requests to devices of this silo.</summary>
    public int AskedCount => Volatile.Read(ref _asked);

    /// <summary>Returns what this silo knows of a device; null if it does not have it.</summary>
    public DeviceSighting? TryFind(string name) => Local.TryFind(name) is { } device
        ? new DeviceSighting(
            SilenceOf(device), device.LastHeard, device.IsAsleep, cluster.Self.Id.Value, _sessions.GetValueOrDefault(device)?.Number ?? 0)
        : null;

    /// <summary>Removes a session of a device.</summary>
    /// <param name="name">The name.</param>
    /// <param name="number">The number of the session; null for any.</param>
    /// <param name="isForgotten">Whether the device is forgotten. Otherwise it has a newer session elsewhere.</param>
    public void Drop(string name, long? number, bool isForgotten)
    {
        if (Local.TryFind(name) is not { } device || (number is { } old && _sessions.GetValueOrDefault(device)?.Number != old))
        {
            return;
        }

        // Its end is not reported.
        _sessions.TryRemove(device, out _);
        if (!isForgotten)
        {
            _ = Local.AddWhenHeardAsync(device);
        }

        Local.Remove(device);
    }

    /// <summary>Waits for some time until a device is awake.</summary>
    /// <returns>Whether it is awake; null if it is not here.</returns>
    public async Task<bool?> WhenAwakeAsync(string name, CancellationToken cancellationToken)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        if (Local.TryFind(name) is not { } device)
        {
            return null;
        }

        using CancellationTokenSource longest = new(s_poll, time);
        using CancellationTokenSource any = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, longest.Token);
        try
        {
            return await device.WhenAwakeOrGoneAsync(any.Token).ConfigureAwait(false) ? !device.IsAsleep : null;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return false;
        }
    }

    /// <summary>Sends a request to a device of this silo.</summary>
    /// <returns>The response or the failure; neither if the device is not here. With <see cref="CoapDeviceException.HasMoved"/> the request
    /// may be sent to another silo.</returns>
    public async Task<(CoapResponse? Response, CoapDeviceException? Failure)> TryAskAsync(
        string name, CoapRequest request, CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _asked);
        try
        {
            return (Local.TryFind(name) is { } device
                ? await device.SendAsync(request, cancellationToken).ConfigureAwait(false)
                : null, null);
        }
        catch (CoapDeviceException exception)
        {
            return (null, exception);
        }
        finally
        {
            Interlocked.Decrement(ref _asked);
        }
    }

    /// <summary>Answers the request of another silo to a device of this one.</summary>
    public async Task<CoapDeviceAnswer> SendAsync(string name, CoapRequest request, CancellationToken cancellationToken)
    {
        // The service of the silo runs on one thread.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        (CoapResponse? response, CoapDeviceException? failure) = await TryAskAsync(name, request, cancellationToken).ConfigureAwait(false);
        return CoapDeviceAnswer.Of(name, response, failure, DeviceRequestMessageFactory.IsSafe(request));
    }

    /// <summary>Answers whether this silo has a device (<see cref="ICoapDeviceService.FindAsync"/>).</summary>
    public DeviceSighting? Find(string name)
    {
        Interlocked.Increment(ref _found);
        return TryFind(name);
    }

    /// <summary>Observes a resource for another silo (<see cref="ICoapDeviceService.ObserveAsync"/>).</summary>
    public async Task<DeviceResourceState?> ObserveAsync(
        Guid from, string name, long number, DeviceResource? resource, CancellationToken cancellationToken)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        try
        {
            if (!_polled.TryGetValue((from, number), out PolledFeed? polled))
            {
                if (resource is null || Local.TryFind(name) is not { } device)
                {
                    return DeviceResourceState.Of(name, DeviceNotification.Left);
                }

                polled = new PolledFeed(await LocalDeviceObservation.StartAsync(device, resource.ToResource(name), cancellationToken)
                    .ConfigureAwait(false));
                _polled[(from, number)] = polled;
            }

            using CancellationTokenSource longest = new(s_poll, time);
            using CancellationTokenSource any = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, longest.Token);
            polled.PolledAt = time.GetTimestamp();
            return DeviceResourceState.Of(name, await polled.Feed.NextAsync(any.Token).ConfigureAwait(false));
        }
        catch (CoapDeviceException exception)
        {
            return DeviceResourceState.Of(name, new DeviceNotification(CoapObserveState.Failed, null, exception));
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return null;
        }
        catch (OperationCanceledException)
        {
            EndObservation(from, number);
            throw;
        }
    }

    /// <summary>Ends an observation of another silo.</summary>
    public void EndObservation(Guid from, long number)
    {
        if (_polled.TryRemove((from, number), out PolledFeed? polled))
        {
            polled.Feed.End();
        }
    }

    /// <summary>Removes a device that is forgotten, and its record.</summary>
    public async Task ForgetAsync(string name, CancellationToken cancellationToken)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        Drop(name, null, isForgotten: true);
        await _devices.Records.TryRemoveAsync(name, cancellationToken).ConfigureAwait(false);
    }

    public void Dispose()
    {
        _stop.Cancel();
        _sweep?.Dispose();
    }

    /// <summary>Starts to report devices: the silo can call grains.</summary>
    public void Start(IDeviceRouter router)
    {
        _devices.Router = router;
        Local.Arrived += OnArrived;
        silos.SubscribeToSiloStatusEvents(this);
        foreach (LocalDevice device in Local.All)
        {
            OnArrived(device);
        }

        _sweep = time.CreateTimer(static gateway => ((DeviceGateway)gateway!).Sweep(), this, s_poll, s_poll);
    }

    public void Stop()
    {
        Local.Arrived -= OnArrived;
        silos.UnSubscribeFromSiloStatusEvents(this);
        Dispose();
        foreach ((Guid from, long number) in _polled.Keys)
        {
            EndObservation(from, number);
        }
    }

    private TimeSpan SilenceOf(LocalDevice device)
    {
        TimeSpan silence = time.GetUtcNow() - device.LastHeard;
        return silence > TimeSpan.Zero ? silence : TimeSpan.Zero;
    }

    /// <inheritdoc/>
    public void SiloStatusChangeNotification(SiloAddress updatedSilo, SiloStatus status)
    {
        // Grains end with their silo.
        foreach ((LocalDevice device, ReportedSession session) in status == SiloStatus.Dead ? _sessions.ToArray() : [])
        {
            if (updatedSilo.Equals(session.Grain))
            {
                _ = ReportAsync(device, session, isNew: false);
            }
        }
    }

    private void OnArrived(LocalDevice device)
    {
        ReportedSession session = new(Interlocked.Increment(ref _lastNumber));
        if (_sessions.TryAdd(device, session))
        {
            _ = ReportBeginAsync(device, session);
        }
    }

    private async Task ReportBeginAsync(LocalDevice device, ReportedSession session)
    {
        await ReportAsync(device, session, isNew: !device.HasMoved).ConfigureAwait(false);
        _ = device.Gone.UnsafeRegister(static state =>
        {
            (DeviceGateway gateway, LocalDevice device) = ((DeviceGateway, LocalDevice))state!;
            _ = gateway.ReportEndAsync(device);
        }, (this, device));
    }

    private async Task ReportAsync(LocalDevice device, ReportedSession session, bool isNew)
    {
        // The caller may be the receiving thread.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        IDeviceDirectory places = grains.GetGrain<IDeviceDirectory>(device.Name);
        bool isReported = false;
        while (!isReported && !device.Gone.IsCancellationRequested && !_stop.IsCancellationRequested)
        {
            await _reports.WaitAsync().ConfigureAwait(false);
            try
            {
                DeviceArrival arrival = await places.ArrivedAsync(
                    silo.SiloAddress, session.Number, isNew ? null : SilenceOf(device)).ConfigureAwait(false);
                if (!arrival.IsNewest)
                {
                    Drop(device.Name, session.Number, isForgotten: false);
                }

                // From here on its death is noticed.
                session.Grain = arrival.Grain;
                isReported = !silos.IsDeadSilo(arrival.Grain);
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
    }

    private async Task ReportEndAsync(LocalDevice device)
    {
        if (!_sessions.TryRemove(device, out ReportedSession? session))
        {
            return;
        }

        try
        {
            await grains.GetGrain<IDeviceDirectory>(device.Name).DepartedAsync(silo.SiloAddress, session.Number).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // whatever the reason: the next caller is told that the device is not here
        catch (Exception)
#pragma warning restore CA1031
        {
            // The grain's silo died, or this one is ending.
        }
    }

    private void Sweep()
    {
        foreach (((Guid from, long number), PolledFeed polled) in _polled)
        {
            if (time.GetElapsedTime(polled.PolledAt) > 5 * s_poll)
            {
                EndObservation(from, number);
            }
        }
    }

    private sealed class ReportedSession(long number)
    {
        private volatile SiloAddress? _grain;

        public long Number => number;

        /// <summary>The silo of the grain that knows the session; null before it does.</summary>
        public SiloAddress? Grain
        {
            get => _grain;
            set => _grain = value;
        }
    }

    private sealed class PolledFeed(LocalDeviceObservation feed)
    {
        public LocalDeviceObservation Feed => feed;

        public long PolledAt { get; set; }
    }
}
