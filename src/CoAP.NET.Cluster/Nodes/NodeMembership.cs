using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Writing;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>
/// The membership of a node: it renews the lease, reads the map, takes slots without a live owner, and changes the map. While the store is
/// unavailable it continues with its slots, and recovers on its own. Thread-safe.
/// </summary>
internal sealed class NodeMembership : IAsyncDisposable
{
    private const int RenewalsOfLease = 5;
    private static readonly TimeSpan s_sweepPeriod = TimeSpan.FromMinutes(10);

    private readonly ICoapClusterStore _store;
    private readonly CoapNodeId _id;
    private readonly TimeSpan _lease;
    private readonly NodePeers _peers;
    private readonly SlotReleases _releases;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly Lock _gate = new();
    private readonly SemaphoreSlim _taking = new(1);
    private readonly CancellationTokenSource _stop = new();

    // Slots that it is giving away, which therefore do not count as lost.
    private readonly HashSet<CoapSlot> _given = [];

    // The live nodes when the store became unavailable or slow: their leases have ended meanwhile, and each may take a while to return.
    private readonly HashSet<CoapNodeId> _awaited = [];
    private long? _renewedAt;
    private long? _awaitedFrom;
    private CoapClusterNode? _self;
    private CoapClusterSlotMap _map = CoapClusterSlotMap.Empty;

    // The newest map of the store; the other one has the nodes that are live according to the peers.
    private CoapClusterSlotMap _read = CoapClusterSlotMap.Empty;
    private SlotPlan? _plan;
    private CoapStoreHealth _health;
    private CoapClusterStoreException? _loss;
    private Task _renewing = Task.CompletedTask;
    private Task _watching = Task.CompletedTask;
    private Task _telling = Task.CompletedTask;
    private string? _limitation;
    private bool _isSharing;
    private bool _isLeaving;
    private bool _isEnded;
    private long _taken;
    private long _lost;

    /// <summary>Creates the membership. It is inactive before <see cref="StartAsync"/>.</summary>
    /// <param name="store">The store.</param>
    /// <param name="id">The node.</param>
    /// <param name="lease">The duration of its lease.</param>
    /// <param name="peers">Knows which nodes are live, and whether this node takes slots on its own.</param>
    /// <param name="releases">Knows which slots move, and therefore do not count as lost.</param>
    /// <param name="time">The clock.</param>
    /// <param name="logger">The log.</param>
    public NodeMembership(
        ICoapClusterStore store, CoapNodeId id, TimeSpan lease, NodePeers peers, SlotReleases releases, TimeProvider time, ILogger logger)
    {
        _store = store;
        _id = id;
        _lease = lease;
        _peers = peers;
        _releases = releases;
        _time = time;
        _logger = logger;
        _health = new CoapStoreHealth(null, _time.GetUtcNow());
        if (peers.Network is { } network)
        {
            network.LivenessChanged += OnLivenessChanged;
        }
    }

    /// <summary>Raised when <see cref="Map"/> has changed, on the thread that read it.</summary>
    public event EventHandler? MapChanged;

    /// <summary>The live nodes and the owner of each slot, as last read.</summary>
    public CoapClusterSlotMap Map
    {
        get
        {
            lock (_gate)
            {
                return _map;
            }
        }
    }

    /// <summary>The duration of its lease.</summary>
    public TimeSpan Lease => _lease;

    /// <summary>Whether the store accepts leases.</summary>
    public CoapStoreHealth Health
    {
        get
        {
            lock (_gate)
            {
                return _health;
            }
        }
    }

    /// <summary>The failure of a store that is gone or replaced; null for none.</summary>
    public CoapClusterStoreException? Loss => Volatile.Read(ref _loss);

    public bool IsLeaving
    {
        get
        {
            lock (_gate)
            {
                return _isLeaving;
            }
        }
    }

    /// <summary>The number of taken slots that had no live owner.</summary>
    public long Taken => Interlocked.Read(ref _taken);

    /// <summary>The number of slots that others took without a handover.</summary>
    public long Lost => Interlocked.Read(ref _lost);

    private bool HasStarted
    {
        get
        {
            lock (_gate)
            {
                return _self is not null;
            }
        }
    }

    // Without an address it gets no slots while others have one.
    private CoapClusterNode Told
    {
        get
        {
            lock (_gate)
            {
                return _isLeaving ? _self! with { IsLeaving = true } : _isSharing ? _self! : _self! with { Address = "" };
            }
        }
    }

    /// <summary>Joins, and renews the lease from then on. It does not fail if the store is unavailable.</summary>
    /// <param name="self">The description of the node for the others.</param>
    /// <param name="shares">Whether it takes its share at once; otherwise it stands by until <see cref="BeginTakingSlots"/>.</param>
    /// <param name="cancellationToken">Stops waiting for the first attempt.</param>
    public async Task StartAsync(CoapClusterNode self, bool shares, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            _self = self;
            _isSharing |= shares;
        }

        await TryRenewAsync(cancellationToken).ConfigureAwait(false);
        lock (_gate)
        {
            if (!_isEnded)
            {
                _renewing = RenewAsync();
                _watching = WatchAsync();
            }
        }
    }

    /// <summary>Takes its share of the slots from now on, because the servers run and the other nodes are reachable.</summary>
    /// <returns>A task that completes when the store was told.</returns>
    public Task BeginTakingSlots()
    {
        lock (_gate)
        {
            if (!_isSharing && !_isEnded)
            {
                _isSharing = true;
                _telling = _self is null ? _telling : TryRenewAsync(_stop.Token);
            }

            return _telling;
        }
    }

    /// <summary>Announces that the node leaves: it takes and gets no more slots.</summary>
    /// <returns>Whether the store accepted it; otherwise the next renewal announces it.</returns>
    public Task<bool> LeaveAsync(CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            _isLeaving = true;
        }

        return TryRenewAsync(cancellationToken);
    }

    /// <summary>Gives slots of this node to another one with compare-and-set, and retries while others are faster.</summary>
    /// <param name="choose">Selects the slots and their receiver in the newest map; no slots if none is left to give.</param>
    /// <param name="cancellationToken">Cancels it.</param>
    /// <returns>The given slots and their receiver.</returns>
    /// <exception cref="CoapClusterStoreException">The store is unavailable.</exception>
    public async Task<(CoapNodeId To, IReadOnlyList<CoapSlot> Slots)> GiveAsync(
        Func<CoapClusterSlotMap, (CoapNodeId To, IReadOnlyList<CoapSlot> Slots)> choose, CancellationToken cancellationToken)
    {
        await _taking.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            while (true)
            {
                CoapClusterSlotMap map = await _store.JoinAsync(Told, _lease, cancellationToken).ConfigureAwait(false);
                (CoapNodeId To, IReadOnlyList<CoapSlot> Slots) given = choose(Set(map));
                if (given.Slots.Count == 0)
                {
                    return given;
                }

                SetGiven(given.Slots);
                bool isGiven = await _store.TryChangeAsync(map.Assign(given.To, given.Slots), cancellationToken).ConfigureAwait(false);
                Set(await _store.JoinAsync(Told, _lease, cancellationToken).ConfigureAwait(false));
                if (isGiven)
                {
                    return given;
                }
            }
        }
        finally
        {
            SetGiven([]);
            _taking.Release();
        }
    }

    /// <summary>Stops to renew the lease. Disposing the store releases it.</summary>
    public async ValueTask DisposeAsync()
    {
        Task renewing;
        Task watching;
        Task telling;
        lock (_gate)
        {
            _isEnded = true;
            (renewing, watching, telling) = (_renewing, _watching, _telling);
        }

        if (_peers.Network is { } network)
        {
            network.LivenessChanged -= OnLivenessChanged;
        }

        await _stop.CancelAsync().ConfigureAwait(false);
        await renewing.ConfigureAwait(false);
        await watching.ConfigureAwait(false);
        await telling.ConfigureAwait(false);
        _taking.Dispose();
        _stop.Dispose();
    }

    private void SetGiven(IReadOnlyList<CoapSlot> slots)
    {
        lock (_gate)
        {
            _given.Clear();
            _given.UnionWith(slots);
        }
    }

    private async Task RenewAsync()
    {
        long swept = _time.GetTimestamp();
        while (await PauseAsync().ConfigureAwait(false))
        {
            bool isThere = await TryRenewAsync(_stop.Token).ConfigureAwait(false);
            if (isThere && _time.GetElapsedTime(swept) >= s_sweepPeriod)
            {
                swept = _time.GetTimestamp();
                await TrySweepAsync().ConfigureAwait(false);
            }
        }
    }

    private async Task WatchAsync()
    {
        do
        {
            try
            {
                await foreach (CoapClusterSlotMap map in _store.WatchAsync(_stop.Token).ConfigureAwait(false))
                {
                    await OnMapAsync(map, _stop.Token).ConfigureAwait(false);
                }
            }
            catch (OperationCanceledException) when (_stop.IsCancellationRequested)
            {
                return;
            }
            catch (CoapClusterStoreException)
            {
                // The renewals report the failure.
            }
        }
        while (await PauseAsync().ConfigureAwait(false));
    }

    // False at the end.
    private async Task<bool> PauseAsync()
    {
        await Task.Delay(_lease / RenewalsOfLease, _time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return !_stop.IsCancellationRequested;
    }

    /// <summary>Returns the plan for a map, cached for all maps of the same content because each renewal reads one.</summary>
    public SlotPlan PlanOf(CoapClusterSlotMap map)
    {
        SlotPlan? plan = Volatile.Read(ref _plan);
        if (plan?.IsOf(map) != true)
        {
            plan = SlotPlan.Of(map);
            Volatile.Write(ref _plan, plan);
        }

        return plan;
    }

    /// <summary>Renews the lease, and reads the newest map.</summary>
    /// <returns>Whether the store accepted it; otherwise the node retries on its own. False before <see cref="StartAsync"/>.</returns>
    public async Task<bool> TryRenewAsync(CancellationToken cancellationToken)
    {
        // The caller may hold the lock.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        if (!HasStarted)
        {
            return false;
        }

        try
        {
            await OnMapAsync(await _store.JoinAsync(Told, _lease, cancellationToken).ConfigureAwait(false), cancellationToken)
                .ConfigureAwait(false);
            SetHealth(null);
            return true;
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            return false;
        }
        catch (CoapClusterStoreException exception)
        {
            SetHealth(exception);
            return false;
        }
    }

    private async Task TrySweepAsync()
    {
        try
        {
            while (await _store.RemoveExpiredAsync(_stop.Token).ConfigureAwait(false) == RecordBatchValidator.MaxCount)
            {
                // There may be more.
            }
        }
        catch (Exception exception) when (exception is CoapClusterStoreException or OperationCanceledException)
        {
            // They occupy room until the next time.
        }
    }

    // One map after the other, so that an older one never follows a newer one.
    private async Task OnMapAsync(CoapClusterSlotMap map, CancellationToken cancellationToken)
    {
        await _taking.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            AwaitAfterStall();
            Set(map);
            if (!map.IsThere(_id))
            {
                // The node was suspended, and the others consider it dead.
                map = await _store.JoinAsync(Told, _lease, cancellationToken).ConfigureAwait(false);
                Set(map);
            }

            while (!_peers.IsOn && map.IsThere(_id) && !IsLeaving
                && WithoutAwaited(PlanOf(map).ToTake(_id), map) is { Count: > 0 } orphans)
            {
                bool isTaken = await _store.TryChangeAsync(map.Assign(_id, orphans), cancellationToken).ConfigureAwait(false);
                map = await _store.JoinAsync(Told, _lease, cancellationToken).ConfigureAwait(false);
                Set(map);
                if (isTaken)
                {
                    Interlocked.Add(ref _taken, orphans.Count);
                    ClusterLog.SlotsTaken(_logger, _id, orphans.Count, map.Version);
                }
            }
        }
        finally
        {
            _taking.Release();
        }
    }

    // A store that did not answer in time did not answer the other nodes either, although no call failed.
    private void AwaitAfterStall()
    {
        lock (_gate)
        {
            if (_renewedAt is { } renewed && _time.GetElapsedTime(renewed) > _lease / 2)
            {
                AwaitLocked();
            }
        }
    }

    private void AwaitLocked()
    {
        _awaited.UnionWith(_map.Nodes.Select(static node => node.Id));
        _awaitedFrom = null;
    }

    // For one lease after the store has returned, slots of previously live nodes stay untouched, because these nodes still use them.
    private IReadOnlyList<CoapSlot> WithoutAwaited(IReadOnlyList<CoapSlot> orphans, CoapClusterSlotMap map)
    {
        lock (_gate)
        {
            if (_awaited.Count == 0)
            {
                return orphans;
            }

            _awaitedFrom ??= _time.GetTimestamp();
            if (_time.GetElapsedTime(_awaitedFrom.Value) >= _lease)
            {
                _awaited.Clear();
                return orphans;
            }

            return [.. orphans.Where(slot => !_awaited.Contains(map[slot].Node))];
        }
    }

    private void OnLivenessChanged() => _ = LookAgainAsync();

    private async Task LookAgainAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        try
        {
            await _taking.WaitAsync(_stop.Token).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is OperationCanceledException or ObjectDisposedException)
        {
            return;
        }

        try
        {
            Set(_read);
        }
        finally
        {
            _taking.Release();
        }
    }

    // Returns the map with the nodes that are live according to the peers. The caller has the semaphore, so that no older map follows.
    private CoapClusterSlotMap Set(CoapClusterSlotMap map)
    {
        if (map.Version >= _read.Version)
        {
            _read = map;
        }

        map = _peers.LiveOf(map);
        int lost;
        bool hasGoneBack;
        lock (_gate)
        {
            if (map.Version < _map.Version || map.HasSameContent(_map))
            {
                return map;
            }

            // A node that starts later reads of a loss that others have noted.
            hasGoneBack = map.StaleFence != _map.StaleFence && (_map.Version > 0 || map.IsAfterLoss);

            lost = _map.SlotsOf(_id).Count(slot => map[slot].Node != _id && !_given.Contains(slot)
                && !_releases.IsMoving(slot, _map[slot].Fence));
            _map = map;
        }

        if (hasGoneBack)
        {
            ClusterLog.StoreWentBack(_logger, _id, map.StaleFence);
        }

        if (lost > 0)
        {
            Interlocked.Add(ref _lost, lost);
            ClusterLog.SlotsLost(_logger, _id, lost, map.Version);
        }

        MapChanged?.Invoke(this, EventArgs.Empty);
        return map;
    }

    /// <summary>Reports a failure of the store that another part has seen before the next renewal.</summary>
    public void OnLost(CoapClusterStoreException failure) => SetHealth(failure);

    private void SetHealth(CoapClusterStoreException? failure)
    {
        string? limitation = failure is null ? _store.Limitation : null;
        bool hasChanged;
        lock (_gate)
        {
            // Another failure does not say that the store is back.
            failure = failure is null or { Fault: CoapClusterStoreFault.Lost } ? failure : _loss ?? failure;
            Volatile.Write(ref _loss, failure is { Fault: CoapClusterStoreFault.Lost } ? failure : null);
            if (failure is not null)
            {
                AwaitLocked();
            }
            else
            {
                _renewedAt = _time.GetTimestamp();
                (limitation, _limitation) = (limitation == _limitation ? null : limitation, limitation);
            }

            hasChanged = _health.Failure?.Fault != failure?.Fault;
            if (hasChanged)
            {
                _health = new CoapStoreHealth(failure, _time.GetUtcNow());
            }
        }

        if (limitation is not null)
        {
            ClusterLog.StoreLimited(_logger, _id, limitation);
        }

        if (!hasChanged)
        {
            return;
        }

        if (failure is null)
        {
            ClusterLog.Renewed(_logger, _id);
        }
        else
        {
            ClusterLog.NotRenewed(_logger, _id, failure);
        }
    }
}
