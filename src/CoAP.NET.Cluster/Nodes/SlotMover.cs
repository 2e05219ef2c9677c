using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// Hands slots of this node over to others: those above its fair share once the nodes are stable, and all of them when it leaves. It moves
/// a few at a time: the holders release their state, and then the store decides about the change of the map. A leaving node runs several
/// batches in parallel because a batch mostly waits for the store, and slow requests must not delay the next batch. Thread-safe.
/// </summary>
/// <param name="self">The node.</param>
/// <param name="membership">Changes the map.</param>
/// <param name="releases">Releases the state of slots.</param>
/// <param name="options">The options.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">The log.</param>
internal sealed class SlotMover(
    CoapNodeId self, ClusterMembership membership, SlotReleases releases, CoapSlotMoveOptions options, TimeProvider time, ILogger logger)
    : IAsyncDisposable
{
    // Few concurrent moves keep each session's downtime short; but the time of leaving is limited.
    private const int BatchesOfLeaving = 16;
    private const int BatchesAtOnce = 4;
    private const int MostBatches = 8;
    private static readonly TimeSpan s_patience = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan s_retry = TimeSpan.FromMilliseconds(500);

    private readonly Lock _gate = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly OccasionalLog _notGiven = new(time);
    private readonly SettleClock _settle = new(options.SettleTime, time);
    private readonly WakeSignal _wake = new();
    private Task _running = Task.CompletedTask;
    private int _batchSize = options.BatchSize;
    private bool _isLeaving;
    private bool _isEnded;
    private long _handedOver;

    /// <summary>The number of handed-over slots.</summary>
    public long HandedOver => Interlocked.Read(ref _handedOver);

    /// <summary>Starts the mover.</summary>
    public void Start()
    {
        lock (_gate)
        {
            if (!_isEnded)
            {
                membership.MapChanged += OnMapChanged;
                _running = RunAsync();
            }
        }
    }

    /// <summary>Stops all moves.</summary>
    public async ValueTask DisposeAsync()
    {
        Task running;
        lock (_gate)
        {
            if (_isEnded)
            {
                return;
            }

            _isEnded = true;
            running = _running;
        }

        membership.MapChanged -= OnMapChanged;
        await _stop.CancelAsync().ConfigureAwait(false);
        await running.ConfigureAwait(false);
        _stop.Dispose();
    }

    private void OnMapChanged(object? sender, EventArgs arguments) => _wake.Wake();

    private async Task RunAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        List<Task> underWay = [];
        while (!_stop.IsCancellationRequested)
        {
            Task woken = _wake.Next;
            await Task.WhenAll(underWay.Where(static move => move.IsCompleted)).ConfigureAwait(false);
            underWay.RemoveAll(static move => move.IsCompleted);
            CoapClusterMap map = membership.Map;
            SlotPlan plan = membership.PlanOf(map);
            _settle.See(plan.Members);
            IReadOnlyList<SlotMove> moves = [.. plan.ToGive(self).Where(move => !releases.IsMoving(move.Slot, map[move.Slot].Fence))];
            TimeSpan wait = moves.Count == 0 ? Timeout.InfiniteTimeSpan : membership.IsLeaving ? TimeSpan.Zero : _settle.Left();
            if (wait != TimeSpan.Zero)
            {
                await woken.WaitAsync(wait, time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                continue;
            }

            if (membership.IsLeaving && !_isLeaving)
            {
                // Each batch may take as long as its slowest request.
                _isLeaving = true;
                _batchSize = Math.Max(1, (map.SlotsOf(self).Count + BatchesOfLeaving - 1) / BatchesOfLeaving);
            }

            // Slots for one receiver, because a change of the map has one.
            CoapNodeId to = moves[0].To;
            Task move = MoveAsync(
                to, [.. moves.Where(move => move.To == to).Take(_batchSize).Select(static move => move.Slot)]);
            underWay.Add(move);
            if (!membership.IsLeaving)
            {
                await move.ConfigureAwait(false);
            }
            else if (underWay.Count >= BatchesAtOnce)
            {
                Task first = Task.WhenAny(underWay);
                await first.WaitAsync(underWay.Count < MostBatches ? s_patience : Timeout.InfiniteTimeSpan, time, _stop.Token)
                    .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }

        await Task.WhenAll(underWay).ConfigureAwait(false);
    }

    private async Task MoveAsync(CoapNodeId to, CoapSlot[] slots)
    {
        CoapClusterMap map = membership.Map;
        List<(CoapSlot Slot, CoapFence Fence)> left = [.. slots.Where(slot => map[slot].Node == self)
            .Select(slot => (slot, map[slot].Fence))];
        foreach ((CoapSlot slot, CoapFence fence) in left)
        {
            releases.Mark(slot, fence);
        }

        try
        {
            await releases.ReleaseAsync(left.Select(static one => one.Slot), _stop.Token).ConfigureAwait(false);
            while (left.Count > 0 && !_stop.IsCancellationRequested)
            {
                await TryGiveAsync(to, left).ConfigureAwait(false);
            }
        }
        finally
        {
            foreach (CoapSlot slot in slots)
            {
                releases.Mark(slot, default);
            }
        }
    }

    // A released slot must not remain here: without another owner it returns under a new fence.
    private async Task TryGiveAsync(CoapNodeId to, List<(CoapSlot Slot, CoapFence Fence)> left)
    {
        try
        {
            (CoapNodeId given, IReadOnlyList<CoapSlot> slots) = await membership.GiveAsync(Choose, _stop.Token).ConfigureAwait(false);
            left.RemoveAll(one => slots.Contains(one.Slot));
            if (given != self && slots.Count > 0)
            {
                Interlocked.Add(ref _handedOver, slots.Count);
                NodesLog.HandedOver(logger, self, slots.Count, given, membership.Map.SlotsOf(self).Count);
            }
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            // The mover has ended.
        }
#pragma warning disable CA1031 // a released slot must not stay released, regardless of the exception of a store
        catch (Exception exception)
#pragma warning restore CA1031
        {
            // Each of several batches tries twice per second.
            if (_notGiven.IsDue())
            {
                NodesLog.NotGiven(logger, self, exception);
            }

            await Task.Delay(s_retry, time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        (CoapNodeId To, IReadOnlyList<CoapSlot> Slots) Choose(CoapClusterMap map)
        {
            left.RemoveAll(one => map[one.Slot].Node != self || map[one.Slot].Fence != one.Fence);
            if (left.Count == 0)
            {
                return (self, []);
            }

            SlotPlan plan = membership.PlanOf(map);
            CoapNodeId wanted = plan.Members.Contains(to) ? to : plan[left[0].Slot] is { IsSet: true } other ? other : self;
            return (wanted, [.. left.Where(one => wanted == to || plan[one.Slot] == wanted || wanted == self)
                .Select(static one => one.Slot)]);
        }
    }
}
