using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Writing;
using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>
/// Keeps all slots active, and moves them by the plan that each node computes from the same map (<see cref="SlotPlan"/>): slots of dead
/// nodes at once, those above a fair share when the nodes were stable for a while, and all of a leaving node.
/// </summary>
/// <param name="cluster">The node.</param>
/// <param name="slots">The slots that are active here.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">The log of the cluster.</param>
internal sealed class SlotRebalancer(CoapCluster cluster, ISlotActivations slots, TimeProvider time, ILogger logger)
{
    // Few concurrent moves keep the downtime of each session short; but the time of leaving is limited.
    private const int BatchesOfLeaving = 8;

    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(1);

    // A released slot that no node has taken by then returns.
    private static readonly TimeSpan s_activationDelay = TimeSpan.FromSeconds(2);

    private readonly CoapNodeId _self = cluster.Self.Id;
    private readonly MembershipStability _settle = new(cluster.Moves.SettleTime, time);
    private readonly RateLimitedLog _notActivated = new(time);
    private readonly bool[] _activating = new bool[CoapSlot.Count];
    private readonly WakeSignal _wake = new();

    /// <summary>Runs until it is stopped.</summary>
    public async Task RunAsync(CancellationToken stoppingToken)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        cluster.MapChanged += OnMapChanged;
        try
        {
            while (!stoppingToken.IsCancellationRequested)
            {
                Task woken = _wake.Next;
                TimeSpan wait = s_period;
                try
                {
                    wait = Step();
                }
#pragma warning disable CA1031 // slots must not stay where they are for ever
                catch (Exception exception)
#pragma warning restore CA1031
                {
                    NodesLog.BalancerFailed(logger, _self, exception);
                }

                await woken.WaitAsync(wait, time, stoppingToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
        finally
        {
            cluster.MapChanged -= OnMapChanged;
        }
    }

    /// <summary>Looks again at once, because an activation is complete or has ended.</summary>
    public void Wake() => _wake.Wake();

    private void OnMapChanged(object? sender, EventArgs arguments) => _wake.Wake();

    // Returns the time until the next step without an event.
    private TimeSpan Step()
    {
        CoapClusterSlotMap map = cluster.Map;
        if (!map.Nodes.Any(node => node.Id == _self && node.Address.Length > 0))
        {
            // Its servers do not run yet.
            return s_period;
        }

        SlotPlan plan = cluster.PlanOf(map);
        _settle.See(plan.Members);
        foreach (CoapSlot slot in CoapSlot.All)
        {
            CoapNodeId owner = map[slot].Node;
            if (slots.IsActive(slot))
            {
                // The newest map: the one from above may not know that this node has just taken the slot.
                if (cluster.Map[slot].Node != _self)
                {
                    slots.End(slot);
                }
            }
            else if ((owner == _self || (plan[slot] == _self && !map.IsThere(owner))) && slots.SinceReleaseOf(slot) >= s_activationDelay)
            {
                _ = ActivateAsync(slot);
            }
        }

        SlotMove[] moves = [.. plan.ToGive(_self)
            .Where(move => slots.CanMove(move.Slot) && !cluster.Releases.IsMoving(move.Slot, map[move.Slot].Fence))];
        TimeSpan wait = moves.Length == 0 ? s_period : cluster.IsLeaving ? TimeSpan.Zero : _settle.Left();
        if (wait == TimeSpan.Zero)
        {
            int most = cluster.Moves.BatchSize * (cluster.IsLeaving ? BatchesOfLeaving : 1);
            foreach (SlotMove move in moves.Take(Math.Max(0, most - cluster.Releases.CountIn(map))))
            {
                if (slots.CanReach(map, move.To))
                {
                    // From now on its datagrams are held.
                    cluster.Releases.Mark(move.Slot, map[move.Slot].Fence);
                    slots.Move(move.Slot, map, move.To);
                }
            }
        }

        return wait > TimeSpan.Zero && wait < s_period ? wait : s_period;
    }

    private async Task ActivateAsync(CoapSlot slot)
    {
        if (_activating[slot.Number])
        {
            return;
        }

        _activating[slot.Number] = true;
        try
        {
            await slots.ActivateAsync(slot).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // whatever the reason: the next step tries again
        catch (Exception exception)
#pragma warning restore CA1031
        {
            if (_notActivated.IsDue())
            {
                NodesLog.NotActivated(logger, slot, _self, exception);
            }
        }
        finally
        {
            Volatile.Write(ref _activating[slot.Number], false);
        }
    }
}
