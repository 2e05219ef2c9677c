using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Writing;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>
/// Lets a node leave: it announces that, waits within limits until others have its slots, and relays late messages for a while.
/// Thread-safe.
/// </summary>
/// <param name="self">The node.</param>
/// <param name="membership">Announces it, and knows the owners of slots.</param>
/// <param name="options">The options.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">The log.</param>
internal sealed class NodeLeaving(
    CoapNodeId self, NodeMembership membership, CoapSlotMoveOptions options, TimeProvider time, ILogger logger) : IAsyncDisposable
{
    // Messages that are on their way when the last slot moves need a moment, regardless of the load balancer.
    private static readonly TimeSpan s_leastRelayTime = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly WakeSignal _wake = new();
    private Task? _leaving;
    private bool _isEnded;

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

    public async ValueTask DisposeAsync()
    {
        Task leaving;
        lock (_gate)
        {
            if (_isEnded)
            {
                return;
            }

            _isEnded = true;
            leaving = _leaving ?? Task.CompletedTask;
        }

        await _stop.CancelAsync().ConfigureAwait(false);
        await leaving.ConfigureAwait(false);
        _stop.Dispose();
    }

    private void OnMapChanged(object? sender, EventArgs arguments) => _wake.Wake();

    private async Task LeaveOnceAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        membership.MapChanged += OnMapChanged;
        try
        {
            await LeaveNowAsync().ConfigureAwait(false);
        }
        finally
        {
            membership.MapChanged -= OnMapChanged;
        }
    }

    private async Task LeaveNowAsync()
    {
        long began = time.GetTimestamp();

        // A store that does not answer must not prolong the end.
        using CancellationTokenSource late = new(options.LeaveTimeout + s_leastRelayTime, time);
        using CancellationTokenSource over = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token, late.Token);

        // Finds nodes that have just joined and can take the slots.
        await ((Task)membership.TryRenewAsync(over.Token)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (membership.PlanOf(membership.Map) is not { IsShared: true } shared || !shared.Members.Any(member => member != self))
        {
            return;
        }

        NodesLog.Leaving(logger, self, membership.Map.SlotsOf(self).Count, shared.Members.Count(member => member != self));
        long told = time.GetTimestamp();
        await ((Task)membership.LeaveAsync(over.Token)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        while (true)
        {
            Task woken = _wake.Next;
            int left = membership.Map.SlotsOf(self).Count;
            TimeSpan wait = MembershipStability.InWholeMilliseconds(options.LeaveTimeout - time.GetElapsedTime(began));
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
        TimeSpan left = MembershipStability.InWholeMilliseconds(options.RelayTime - time.GetElapsedTime(told));
        TimeSpan least = options.RelayTime < s_leastRelayTime ? options.RelayTime : s_leastRelayTime;
        return left > least ? left : least;
    }
}
