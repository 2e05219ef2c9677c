using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Observing;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Running;

/// <summary>Runs a plan in this process.</summary>
internal static class LoadRunner
{
    /// <summary>
    /// Runs a plan. Rate and peers of the plan are those of this process. A cancelled run ends early and returns the measurements so far,
    /// without pending requests.
    /// </summary>
    /// <param name="plan">The plan.</param>
    /// <param name="progress">Receives the progress about once per second, on a thread of the run; null for none.</param>
    /// <param name="gate">
    /// The gate to pass once, when the peers exist: before the first request or, in an observing run, after all observers have registered
    /// and before the first change.
    /// </param>
    /// <param name="cancellationToken">Ends the run early.</param>
    /// <exception cref="ArgumentException">The plan has a fault (<see cref="PlanRules"/>), or this host lacks something in it.</exception>
    /// <exception cref="CoapException">The host of the URI has no address, or a socket fails to open.</exception>
    /// <exception cref="OperationCanceledException">The run was cancelled before it measured anything.</exception>
    public static async Task<LoadResult> RunAsync(LoadPlan plan, IProgress<LoadProgress>? progress, StartGate gate,
        CancellationToken cancellationToken)
    {
        LoadPeers peers = await LoadPeers.OpenAsync(plan, cancellationToken).ConfigureAwait(false);
        await using (peers.ConfigureAwait(false))
        {
            if (plan.Loop == LoadPacing.Observe)
            {
                return await ObserveAsync(plan, peers, progress, gate, cancellationToken).ConfigureAwait(false);
            }

            await gate.ReadyAsync(cancellationToken).ConfigureAwait(false);
            using LoadMeter meter = new();
            using RequestLoop loop = plan.Loop switch
            {
                LoadPacing.Closed => new ClosedLoop(plan, peers, meter),
                LoadPacing.Open => new OpenLoop(plan, peers, meter),
                _ => throw new ArgumentException($"The loop {plan.Loop} is not one of requests."),
            };
            return await RunAsync(plan, peers, loop, meter, progress, cancellationToken).ConfigureAwait(false);
        }
    }

    private static async Task<LoadResult> ObserveAsync(LoadPlan plan, LoadPeers peers, IProgress<LoadProgress>? progress, StartGate gate,
        CancellationToken cancellationToken)
    {
        ObservingPeer[] observing = [
            .. Enumerable.Range(0, peers.Count).Select(i => new ObservingPeer(peers[i].Client, peers[i].NewRequest))];
        LoadResult result = await ObserveLoop.RunAsync(plan, observing, null, progress, gate, cancellationToken).ConfigureAwait(false);

        // For the whole run, like its errors: losses during the registrations count as well.
        return result with { OwnDrops = peers.OwnDrops };
    }

    private static async Task<LoadResult> RunAsync(
        LoadPlan plan, LoadPeers peers, RequestLoop loop, LoadMeter meter, IProgress<LoadProgress>? progress,
        CancellationToken cancellationToken)
    {
        using CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, loop.Failed);
        RunPhaseController conductor = new(plan, loop, meter, peers, progress, end.Token);
        await Task.Factory.StartNew(conductor.Run, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)
            .ConfigureAwait(false);

        // Waits for pending requests: they are measured, and end with an answer or their timeout.
        Task ended = loop.WhenEndedAsync();
        await ended.WaitAsync(end.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!ended.IsCompleted)
        {
            meter.Close();
            await peers.DisposeAsync().ConfigureAwait(false);
        }

        await ended.ConfigureAwait(false);
        if (!conductor.HasMeasured)
        {
            throw new OperationCanceledException("The run ended before it measured anything.", cancellationToken);
        }

        (LoadHistogram times, Dictionary<string, long> errors, long lost) = meter.Sum();
        return new LoadResult
        {
            Plan = plan,
            Seconds = conductor.Seconds,
            Count = times.Count,
            Lost = lost,
            Errors = errors,
            OwnDrops = peers.OwnDrops - conductor.OwnDropsBefore,
            Times = LoadResult.ToPairs(times),
            Series = conductor.Series,
            OwnProcessorSeconds = conductor.OwnProcessorTime.TotalSeconds,
            ServerProcessorSeconds = conductor.ServerProcessorTime?.TotalSeconds,
            ServerResidentBytes = conductor.ServerResidentBytes,
        };
    }
}
