using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Telemetry;
using CoAP.NET.Cluster.Writing;
using CoAP.NET.Observing.Client;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Observations;

/// <summary>
/// Loads the observations at devices for new slots of this node, drops those of lost slots, and keeps the store up to date, in one loop.
/// Thread-safe.
/// </summary>
#pragma warning disable CA1001 // the source has neither timer nor handle
internal sealed class DeviceObservationStore(
    CoapCluster cluster, DeviceObservationTable table, ObservationRunner runs, TimeProvider time, ILogger logger) : ISlotStateHolder
#pragma warning restore CA1001
{
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(1);

    // A client waits at least this long after Max-Age before it registers again. The stored state is therefore never too old to continue
    // silently.
    private static readonly TimeSpan s_writeEvery = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_awaitsSession = TimeSpan.FromMinutes(5);
    private static readonly TimeSpan s_longestHold = TimeSpan.FromSeconds(60);

    private readonly Lock _gate = new();
    private readonly HashSet<CoapEndpoint> _endpoints = [];
    private IDisposable[] _holds = [];
    private readonly SlotRecordLoader _records = new(cluster, CoapRecordKind.Observation);
    private readonly CancellationTokenSource _stop = new();
    private readonly WakeSignal _wake = new();
    private readonly WakeSignal _stepped = new();
    private Task? _running;
    private bool _mustLoad = true;
    private bool _mustMatch;

    public void Attach(CoapEndpoint endpoint)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_stop.IsCancellationRequested, cluster);
            if (!_endpoints.Add(endpoint))
            {
                return;
            }

            _holds = [.. _holds, endpoint.PauseNotifications(s_longestHold)];
            _mustMatch = true;
            if (_running is null)
            {
                cluster.MapChanged += OnMapChanged;
                cluster.Releases.Add(this);
                _running = RunAsync();
            }
        }

        endpoint.PeerConnected += OnConnected;
        endpoint.PeerDisconnected += OnDisconnected;
        _ = ForgetAsync(endpoint);
        Wake();
    }

    public void OnMapped()
    {
        lock (_gate)
        {
            _mustMatch = true;
        }

        Wake();
    }

    /// <summary>Wakes the loop for a new observation.</summary>
    public void Wake() => _wake.Wake();

    /// <summary>Waits until the kept observations of a slot are loaded: otherwise a second registration would be a duplicate.</summary>
    /// <returns>The fence of the slot.</returns>
    /// <exception cref="InvalidOperationException">Another node owns the slot, or no endpoint is attached.</exception>
    public async Task<CoapFencingToken> LoadedAsync(CoapSlot slot, CancellationToken cancellationToken)
    {
        while (true)
        {
            ObjectDisposedException.ThrowIf(_stop.IsCancellationRequested, cluster);
            Task stepped = _stepped.Next;
            CoapClusterSlotMap map = cluster.Map;
            lock (_gate)
            {
                if (_endpoints.Count == 0)
                {
                    throw new InvalidOperationException(
                        "No server of this process is attached to the cluster. Call KeepState and CoapCluster.Attach before it starts.");
                }
            }

            if (_records.FenceOf(slot) is { IsSet: true } fence)
            {
                return fence;
            }

            if (map.Version > 0 && map[slot].Node is { IsSet: true } owner && owner != cluster.Self.Id)
            {
                throw new InvalidOperationException($"The device is in slot {slot} of the cluster, which node {owner} owns. Call it on "
                    + "that node.");
            }

            await stepped.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    public Task ReleaseAsync(CoapSlot slot, CancellationToken cancellationToken)
    {
        table.TakeAll(observation => observation.Key.Slot == slot).ForEach(runs.Leave);
        return Task.CompletedTask;
    }

    /// <summary>Writes the latest notifications, and ends without messages to devices.</summary>
    public async Task EndAsync()
    {
        Task? running;
        lock (_gate)
        {
            running = _running;
        }

        await _stop.CancelAsync().ConfigureAwait(false);
        await (running ?? Task.CompletedTask).ConfigureAwait(false);
        table.TakeAll(static _ => true).ForEach(runs.Leave);
    }

    private void OnMapChanged(object? sender, EventArgs arguments)
    {
        CoapEndpoint[] endpoints;
        lock (_gate)
        {
            _mustLoad = true;
            endpoints = _records.IsBehind ? [.. _endpoints] : [];
        }

        if (endpoints.Length > 0)
        {
            // Before the sessions of these slots arrive. The new holds begin before the old ones end.
            SetHolds(Array.ConvertAll(endpoints, static endpoint => endpoint.PauseNotifications(s_longestHold)));
        }

        Wake();
    }

    private void OnConnected(object? sender, CoapPeer peer) => runs.Match(peer);

    private void OnDisconnected(object? sender, CoapDisconnection end) => runs.OnDisconnected(end.Peer);

    private async Task ForgetAsync(CoapEndpoint endpoint)
    {
        await endpoint.Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        endpoint.PeerConnected -= OnConnected;
        endpoint.PeerDisconnected -= OnDisconnected;
        lock (_gate)
        {
            _endpoints.Remove(endpoint);
        }
    }

    private async Task RunAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        try
        {
            while (true)
            {
                Task wake = _wake.Next;
                TimeSpan pause = await StepAsync(_stop.Token).ConfigureAwait(false);
                _stepped.Wake();
                await wake.WaitAsync(pause, time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                _stop.Token.ThrowIfCancellationRequested();
            }
        }
        catch (OperationCanceledException)
        {
            // The cluster ends.
        }
        finally
        {
            cluster.MapChanged -= OnMapChanged;
            cluster.Releases.Remove(this);
            SetHolds([]);
            _stepped.Wake();
        }
    }

    // Returns the time until the next work without an event.
    private async Task<TimeSpan> StepAsync(CancellationToken cancellationToken)
    {
        bool mustLoad;
        lock (_gate)
        {
            mustLoad = _mustLoad;
            _mustLoad = false;
        }

        if (mustLoad)
        {
            // Other nodes own them; messages from here must not reach their devices.
            table.TakeAll(observation => cluster.FenceOf(observation.Key.Slot) != observation.Fence).ForEach(runs.Leave);
            try
            {
                await _records.LoadAsync(Load, cancellationToken).ConfigureAwait(false);
            }
            catch (CoapClusterStoreException)
            {
                // The cluster reports the failure.
                lock (_gate)
                {
                    _mustLoad = true;
                }

                return s_retry;
            }
        }

        Match();
        Write();
        Expire();
        return table.Count > 0 ? s_writeEvery : Timeout.InfiniteTimeSpan;
    }

    private void Load(CoapFencingToken fence, List<CoapRecord> records)
    {
        int unreadable = 0;
        foreach (CoapRecord record in records)
        {
            if (ObservationRecord.TryRead(record, out string? name, out CoapMessage? request, out CoapNotificationPosition? heard))
            {
                long now = time.GetTimestamp();
                table.TryAdd(new DurableObservation(record.Key, fence, name, request, now) { Heard = heard, WrittenAt = now });
            }
            else
            {
                unreadable++;
            }
        }

        if (unreadable > 0)
        {
            ObservationLog.Unreadable(logger, records[0].Key.Slot, unreadable);
        }

        lock (_gate)
        {
            _mustMatch |= records.Count > 0;
        }
    }

    // Matches sessions that arrived earlier.
    private void Match()
    {
        CoapEndpoint[] endpoints;
        lock (_gate)
        {
            endpoints = _mustMatch && table.Count > 0 ? [.. _endpoints] : [];
            _mustMatch = false;
        }

        foreach (CoapPeer peer in endpoints.SelectMany(static endpoint => endpoint.ConnectedPeers))
        {
            runs.Match(peer);
        }
    }

    private void Write()
    {
        foreach (DurableObservation observation in table.FindAll(observation => observation.IsDirty
            || (observation.Stop is not null && time.GetElapsedTime(observation.WrittenAt) > ObservationRecord.Lifetime / 2)))
        {
            runs.Write(observation, isHint: true);
        }
    }

    // Removes observations whose session does not arrive.
    private void Expire()
    {
        List<DurableObservation> awaited = table.FindAll(static observation => !observation.HasToken);
        IDisposable[] over = [];
        lock (_gate)
        {
            // A concurrent change of the map keeps its holds.
            if (awaited.Count == 0 && cluster.Map.Version > 0 && !_mustLoad && !_mustMatch)
            {
                (over, _holds) = (_holds, []);
            }
        }

        Array.ForEach(over, static hold => hold.Dispose());

        // While the store is unavailable, sessions may arrive later.
        if (cluster.Health.IsDegraded)
        {
            return;
        }

        foreach (DurableObservation observation in awaited)
        {
            bool isOver;
            lock (table.Gate)
            {
                isOver = observation.Stop is null && time.GetElapsedTime(observation.AwaitedSince) > s_awaitsSession
                    && cluster.FenceOf(observation.Key.Slot) == observation.Fence && table.TryTake(observation);
            }

            if (isOver)
            {
                cluster.Counts.Add(ClusterMetric.ObservationsExpired);
                runs.Remove(observation);
            }
        }
    }

    // Not under the lock: held notifications continue within this call.
    private void SetHolds(IDisposable[] holds)
    {
        lock (_gate)
        {
            (holds, _holds) = (_holds, holds);
        }

        Array.ForEach(holds, static hold => hold.Dispose());
    }
}
