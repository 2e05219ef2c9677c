using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// Hands slots of this node over to others: those above its fair share once the nodes are stable, and all of them when it leaves. It moves
/// a few at a time: the holders release their state, and then the store decides about the change of the map. A leaving node runs several
/// batches in parallel because a batch mostly waits for the store, and slow requests must not delay the next batch. Thread-safe.
/// </summary>
/// <param name="self">The node.</param>
/// <param name="membership">Changes the map.</param>
/// <param name="writer">Writes the waiting records before a slot moves.</param>
/// <param name="options">The options.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">The log.</param>
internal sealed class SlotMover(
    CoapNodeId self, ClusterMembership membership, CoapRecordWriter writer, CoapSlotMoveOptions options, TimeProvider time, ILogger logger)
    : IAsyncDisposable
{
    // Few concurrent moves keep each session's downtime short; but the time of leaving is limited.
    private const int BatchesOfLeaving = 16;
    private const int BatchesAtOnce = 4;
    private const int MostBatches = 8;
    private static readonly TimeSpan s_patience = TimeSpan.FromMilliseconds(500);

    // Messages that are on their way when the last slot moves need a moment, regardless of the load balancer.
    private static readonly TimeSpan s_leastRelayTime = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_retry = TimeSpan.FromMilliseconds(500);

    private readonly Lock _gate = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly OccasionalLog _notGiven = new(time);
    private readonly SettleClock _settle = new(options.SettleTime, time);

    // The fence of a slot being released: a slot that comes back has another one.
    private readonly long[] _moving = new long[CoapSlot.Count];
    private ISlotHolder[] _holders = [];
    private readonly WakeSignal _wake = new();
    private Task _running = Task.CompletedTask;
    private Task? _leaving;
    private int _batchSize = options.BatchSize;
    private bool _isEnded;
    private long _handedOver;

    /// <summary>The number of handed-over slots.</summary>
    public long HandedOver => Interlocked.Read(ref _handedOver);

    /// <summary>The number of slots being released.</summary>
    public int MovingCount => _moving.Count(static fence => fence != 0);

    /// <summary>The options.</summary>
    public CoapSlotMoveOptions Options => options;

    /// <summary>Adds a holder of state.</summary>
    /// <param name="holder">The holder.</param>
    public void Add(ISlotHolder holder)
    {
        lock (_gate)
        {
            _holders = [.. _holders, holder];
        }
    }

    /// <summary>Removes a holder of state.</summary>
    /// <param name="holder">The holder.</param>
    public void Remove(ISlotHolder holder)
    {
        lock (_gate)
        {
            _holders = [.. _holders.Where(other => other != holder)];
        }
    }

    /// <summary>Whether a slot of this node with a fence is being released, or is about to be.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="fence">The fence.</param>
    public bool IsMoving(CoapSlot slot, CoapFence fence) => Volatile.Read(ref _moving[slot.Number]) == fence.Value && fence.IsSet;

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

    /// <summary>Hands over everything, within limits, and relays late messages for a while.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    public Task LeaveAsync(CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (_isEnded)
            {
                return Task.CompletedTask;
            }

            _leaving ??= LeaveOnceAsync();
            return _leaving.WaitAsync(cancellationToken);
        }
    }

    /// <summary>Stops all moves.</summary>
    public async ValueTask DisposeAsync()
    {
        Task running;
        Task leaving;
        lock (_gate)
        {
            if (_isEnded)
            {
                return;
            }

            _isEnded = true;
            (running, leaving) = (_running, _leaving ?? Task.CompletedTask);
        }

        membership.MapChanged -= OnMapChanged;
        await _stop.CancelAsync().ConfigureAwait(false);
        await running.ConfigureAwait(false);
        await leaving.ConfigureAwait(false);
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
            IReadOnlyList<SlotMove> moves = [.. plan.ToGive(self).Where(move => !IsMoving(move.Slot, map[move.Slot].Fence))];
            TimeSpan wait = moves.Count == 0 ? Timeout.InfiniteTimeSpan : membership.IsLeaving ? TimeSpan.Zero : _settle.Left();
            if (wait != TimeSpan.Zero)
            {
                await woken.WaitAsync(wait, time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                continue;
            }

            // Slots for one receiver, because a change of the map has one.
            CoapNodeId to = moves[0].To;
            Task move = MoveAsync(
                to, [.. moves.Where(move => move.To == to).Take(Volatile.Read(ref _batchSize)).Select(static move => move.Slot)]);
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
            Volatile.Write(ref _moving[slot.Number], fence.Value);
        }

        try
        {
            await ReleaseAsync(left.Select(static one => one.Slot)).ConfigureAwait(false);
            while (left.Count > 0 && !_stop.IsCancellationRequested)
            {
                await TryGiveAsync(to, left).ConfigureAwait(false);
            }
        }
        finally
        {
            foreach (CoapSlot slot in slots)
            {
                Volatile.Write(ref _moving[slot.Number], 0);
            }
        }
    }

    [SuppressMessage("Design", "CA1031:Do not catch general exception types", Justification = "A slot that is not released moves as after "
        + "a crash, whatever the reason.")]
    private async Task ReleaseAsync(IEnumerable<CoapSlot> slots)
    {
        ISlotHolder[] holders;
        lock (_gate)
        {
            holders = _holders;
        }

        using CancellationTokenSource grace = new(options.ReleaseTimeout, time);
        using CancellationTokenSource ends = CancellationTokenSource.CreateLinkedTokenSource(grace.Token, _stop.Token);
        await Task.WhenAll(slots.SelectMany(slot => holders.Select(holder => ReleaseOneAsync(holder, slot)))).ConfigureAwait(false);
        try
        {
            await writer.FlushAsync(ends.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // The store is unavailable, or too slow. Later writes are dropped, and the writer counts them.
        }

        async Task ReleaseOneAsync(ISlotHolder holder, CoapSlot slot)
        {
            try
            {
                await holder.ReleaseAsync(slot, ends.Token).ConfigureAwait(false);
            }
            catch (Exception exception)
            {
                NodesLog.NotReleased(logger, self, slot, exception);
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

    private async Task LeaveOnceAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        long began = time.GetTimestamp();

        // Finds nodes that have just joined and can take the slots.
        await membership.TryRenewAsync(_stop.Token).ConfigureAwait(false);
        if (membership.PlanOf(membership.Map) is not { IsShared: true } shared || !shared.Members.Any(member => member != self))
        {
            return;
        }

        int had = membership.Map.SlotsOf(self).Count;
        NodesLog.Leaving(logger, self, had, shared.Members.Count(member => member != self));

        // Each batch may take as long as its slowest request.
        Volatile.Write(ref _batchSize, Math.Max(1, (had + BatchesOfLeaving - 1) / BatchesOfLeaving));
        await membership.LeaveAsync(_stop.Token).ConfigureAwait(false);
        long told = time.GetTimestamp();
        _wake.Wake();
        while (true)
        {
            Task woken = _wake.Next;
            int left = membership.Map.SlotsOf(self).Count;
            TimeSpan wait = SettleClock.InWholeMilliseconds(options.LeaveTimeout - time.GetElapsedTime(began));
            bool isAlone = membership.PlanOf(membership.Map).Members.Count == 0;
            if (_stop.IsCancellationRequested)
            {
                return;
            }

            if (left == 0)
            {
                NodesLog.Left(logger, self, time.GetElapsedTime(began), RelayTimeSince(told));
                break;
            }

            if (wait <= TimeSpan.Zero || isAlone)
            {
                NodesLog.NotLeft(logger, self, left);
                break;
            }

            await woken.WaitAsync(wait, time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        await Task.Delay(RelayTimeSince(told), time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    // A load balancer sees that this node is not ready from the announcement on, not from the end of its last slot.
    private TimeSpan RelayTimeSince(long told)
    {
        TimeSpan left = SettleClock.InWholeMilliseconds(options.RelayTime - time.GetElapsedTime(told));
        TimeSpan least = options.RelayTime < s_leastRelayTime ? options.RelayTime : s_leastRelayTime;
        return left > least ? left : least;
    }
}
