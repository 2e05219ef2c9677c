using CoAP.NET.Cluster;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Orleans.Runtime;

namespace CoAP.NET.Orleans;

/// <summary>
/// Keeps all slots active, and moves them by the plan that each node computes from the same map (<see cref="SlotPlan"/>): slots of dead
/// nodes at once, those above a fair share when the nodes were stable for a while, and all of a leaving node.
/// </summary>
/// <param name="services">The services of the silo.</param>
/// <param name="logger">The log of the cluster.</param>
internal sealed class SlotBalancer(IServiceProvider services, ILogger logger) : BackgroundService
{
    // Few concurrent moves keep the downtime of each session short; but the time of leaving is limited.
    private const int BatchesOfLeaving = 8;

    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(1);

    // A released slot that nobody has taken by then returns.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(2);

    private readonly bool[] _activating = new bool[CoapSlot.Count];
    private readonly WakeSignal _wake = new();

    /// <inheritdoc/>
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        TimeProvider time = services.GetService<TimeProvider>() ?? TimeProvider.System;
        SlotHost host = services.GetRequiredService<SlotHost>();
        OccasionalLog notActivated = new(time);
        SettleClock settle = new(host.Cluster.Moves.SettleTime, time);
        host.Cluster.MapChanged += OnMapChanged;
        try
        {
            while (!stoppingToken.IsCancellationRequested)
            {
                Task woken = _wake.Next;
                TimeSpan wait = s_period;
                try
                {
                    wait = Step(host, settle, notActivated);
                }
#pragma warning disable CA1031 // slots must not stay where they are for ever
                catch (Exception exception)
#pragma warning restore CA1031
                {
                    SiloLog.BalancerFailed(logger, host.Cluster.Self.Id, exception);
                }

                await woken.WaitAsync(wait, time, stoppingToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
        finally
        {
            host.Cluster.MapChanged -= OnMapChanged;
        }
    }

    private void OnMapChanged(object? sender, EventArgs arguments) => _wake.Wake();

    // Returns the time until the next step without an event.
    private TimeSpan Step(SlotHost host, SettleClock settle, OccasionalLog notActivated)
    {
        CoapCluster cluster = host.Cluster;
        CoapNodeId self = cluster.Self.Id;
        CoapClusterMap map = cluster.Map;
        if (!map.Nodes.Any(node => node.Id == self && node.Address.Length > 0))
        {
            // Its servers do not run yet.
            return s_period;
        }

        SlotPlan plan = cluster.PlanOf(map);
        settle.See(plan.Members);
        foreach (CoapSlot slot in CoapSlot.All)
        {
            CoapNodeId owner = map[slot].Node;
            if (host.Find(slot) is { } active)
            {
                if (owner != self)
                {
                    active.End();
                }
            }
            else if ((owner == self || (plan[slot] == self && !map.IsThere(owner))) && host.SinceReleaseOf(slot) >= s_patience)
            {
                _ = ActivateAsync(slot, self, notActivated);
            }
        }

        SlotMove[] moves = [.. plan.ToGive(self)
            .Where(move => host.Find(move.Slot) is { IsReady: true } && !cluster.Releases.IsMoving(move.Slot, map[move.Slot].Fence))];
        TimeSpan wait = moves.Length == 0 ? s_period : cluster.IsLeaving ? TimeSpan.Zero : settle.Left();
        if (wait == TimeSpan.Zero)
        {
            int most = cluster.Moves.BatchSize * (cluster.IsLeaving ? BatchesOfLeaving : 1);
            foreach (SlotMove move in moves.Take(Math.Max(0, most - cluster.Releases.CountIn(map))))
            {
                if (host.SiloOf(map, move.To) is { } silo)
                {
                    // From now on its datagrams are held.
                    cluster.Releases.Mark(move.Slot, map[move.Slot].Fence);
                    host.Find(move.Slot)?.MoveTo(silo);
                }
            }
        }

        return wait > TimeSpan.Zero && wait < s_period ? wait : s_period;
    }

    private async Task ActivateAsync(CoapSlot slot, CoapNodeId self, OccasionalLog notActivated)
    {
        if (_activating[slot.Number])
        {
            return;
        }

        _activating[slot.Number] = true;
        try
        {
            await services.GetRequiredService<IGrainFactory>().GetGrain<ISlotGrain>(slot.Number).ActivateAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // whatever the reason: the next step tries again
        catch (Exception exception)
#pragma warning restore CA1031
        {
            if (notActivated.IsDue())
            {
                SiloLog.NotActivated(logger, slot, self, exception);
            }
        }
        finally
        {
            Volatile.Write(ref _activating[slot.Number], false);
        }
    }
}
