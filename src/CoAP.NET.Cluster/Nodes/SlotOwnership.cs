using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Writing;
using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>
/// Takes and releases slots one by one, for clusters whose slot owners are chosen elsewhere, for example by Orleans. Slots that are
/// requested at the same time become one change of the map. The store decides: it refuses a slot that another node took first. Counts
/// the slots that other nodes took over. Thread-safe.
/// </summary>
internal sealed class SlotOwnership
{
    private static readonly TimeSpan s_retry = TimeSpan.FromMilliseconds(500);

    private readonly CoapNodeId _self;
    private readonly NodeMembership _membership;
    private readonly SlotReleases _releases;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly Lock _gate = new();
    private readonly RateLimitedLog _notTaken;

    // The released slots, with their fences, whose next owner is not known yet.
    private readonly Dictionary<CoapSlot, CoapFencingToken> _released = [];
    private List<SlotClaim> _requested = [];
    private bool _isTaking;
    private long _taken;
    private long _handedOver;

    /// <summary>Creates the acquisition of slots for a node.</summary>
    /// <param name="self">The node.</param>
    /// <param name="membership">Changes the map.</param>
    /// <param name="releases">Releases the state of slots.</param>
    /// <param name="time">The clock.</param>
    /// <param name="logger">The log.</param>
    public SlotOwnership(CoapNodeId self, NodeMembership membership, SlotReleases releases, TimeProvider time, ILogger logger)
    {
        _self = self;
        _membership = membership;
        _releases = releases;
        _time = time;
        _logger = logger;
        _notTaken = new RateLimitedLog(time);
        membership.MapChanged += OnMapChanged;
    }

    /// <summary>The number of taken slots that had no live owner.</summary>
    public long Taken => Interlocked.Read(ref _taken);

    /// <summary>The number of slots that other nodes took after this one released them.</summary>
    public long HandedOver => Interlocked.Read(ref _handedOver);

    /// <summary>Takes a slot under a new fence: one of this node, one without a live owner, or one that its owner released.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="released">The fence under which its owner released it; unset if none did.</param>
    /// <param name="cancellationToken">Stops waiting; the slot may be taken all the same.</param>
    /// <returns>False if another node has it.</returns>
    public Task<bool> TakeAsync(CoapSlot slot, CoapFencingToken released, CancellationToken cancellationToken)
    {
        SlotClaim request = new(slot, released, cancellationToken);
        lock (_gate)
        {
            _requested.Add(request);
            if (!_isTaking)
            {
                _isTaking = true;
                _ = TakeAllAsync();
            }
        }

        return request.Result.Task.WaitAsync(cancellationToken);
    }

    /// <summary>
    /// Releases a slot: pending work finishes, its state is stored and removed from memory, and its datagrams are held until a node has it.
    /// </summary>
    /// <param name="slot">The slot.</param>
    /// <param name="cancellationToken">Ends the grace period for pending work.</param>
    /// <returns>The fence for <see cref="TakeAsync"/> of the next owner; unset if this node does not own the slot.</returns>
    public async Task<CoapFencingToken> ReleaseAsync(CoapSlot slot, CancellationToken cancellationToken)
    {
        CoapSlotOwner owner = _membership.Map[slot];
        if (owner.Node != _self)
        {
            return default;
        }

        _releases.Mark(slot, owner.Fence);
        await _releases.ReleaseAsync([slot], cancellationToken).ConfigureAwait(false);
        lock (_gate)
        {
            _released[slot] = owner.Fence;
        }

        OnMapChanged(null, EventArgs.Empty);
        return owner.Fence;
    }

    private async Task TakeAllAsync()
    {
        // Yields first, so that slots requested at the same time become one change.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        while (true)
        {
            List<SlotClaim> requests;
            lock (_gate)
            {
                _requested.RemoveAll(static request => request.Token.IsCancellationRequested);
                requests = _requested;
                _requested = [];
                _isTaking = requests.Count > 0;
                if (!_isTaking)
                {
                    return;
                }
            }

            if (!await TryTakeAsync(requests).ConfigureAwait(false))
            {
                lock (_gate)
                {
                    _requested.AddRange(requests);
                }

                await Task.Delay(s_retry, _time, CancellationToken.None).ConfigureAwait(false);
            }
        }
    }

    // False if the store failed.
    private async Task<bool> TryTakeAsync(List<SlotClaim> requests)
    {
        try
        {
            int orphans = 0;
            (_, IReadOnlyList<CoapSlot> taken) = await _membership.GiveAsync(
                map =>
                {
                    CoapSlot[] free =
                        [.. requests.Where(request => IsFree(map, request)).Select(static request => request.Slot).Distinct()];
                    orphans = free.Count(slot => !map.IsThere(map[slot].Node));
                    return (_self, free);
                },
                CancellationToken.None).ConfigureAwait(false);
            Interlocked.Add(ref _taken, orphans);
            if (taken.Count > 0)
            {
                ClusterLog.SlotsTaken(_logger, _self, taken.Count, _membership.Map.Version);
            }

            requests.ForEach(request => request.Result.TrySetResult(taken.Contains(request.Slot)));
            return true;
        }
        catch (CoapClusterStoreException exception)
        {
            if (_notTaken.IsDue())
            {
                NodesLog.NotGiven(_logger, _self, exception);
            }

            return false;
        }
#pragma warning disable CA1031 // those who wait must get an answer; the cluster may be disposed
        catch (Exception exception)
#pragma warning restore CA1031
        {
            requests.ForEach(request => request.Result.TrySetException(exception));
            return true;
        }
    }

    private bool IsFree(CoapClusterSlotMap map, SlotClaim request) => map[request.Slot] is var owner
        && (owner.Node == _self || !map.IsThere(owner.Node) || (request.Released.IsSet && request.Released == owner.Fence));

    private void OnMapChanged(object? sender, EventArgs arguments)
    {
        CoapClusterSlotMap map;
        Dictionary<CoapNodeId, int> gone = [];
        lock (_gate)
        {
            // Under the lock, as a release calls it beside an event: an older map does not know the fence of a slot that was released.
            map = _membership.Map;
            foreach ((CoapSlot slot, CoapFencingToken fence) in _released.ToArray())
            {
                CoapSlotOwner owner = map[slot];
                if (owner.Fence != fence)
                {
                    _released.Remove(slot);
                    if (owner.Node != _self)
                    {
                        gone[owner.Node] = gone.GetValueOrDefault(owner.Node) + 1;
                    }
                }
            }
        }

        foreach ((CoapNodeId node, int count) in gone)
        {
            Interlocked.Add(ref _handedOver, count);
            NodesLog.HandedOver(_logger, _self, count, node, map.SlotsOf(_self).Count);
        }
    }

    private sealed record SlotClaim(CoapSlot Slot, CoapFencingToken Released, CancellationToken Token)
    {
        public TaskCompletionSource<bool> Result { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
