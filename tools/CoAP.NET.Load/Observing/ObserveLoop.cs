using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Reporting;
using CoAP.NET.Load.Running;

namespace CoAP.NET.Load.Observing;

/// <summary>
/// A run in which each peer observes the resource. With a rate it changes the resource itself and measures how long each observer takes to
/// receive it; without one it counts notifications of changes by others. Of several workers only that of the first peer makes changes, and
/// only it knows their times.
/// </summary>
internal static class ObserveLoop
{
    /// <summary>Runs the loop.</summary>
    /// <param name="plan">The plan.</param>
    /// <param name="peers">The observers.</param>
    /// <param name="changes">The client that makes the changes, and reads the resource at the end; null to create one.</param>
    /// <param name="progress">Receives the progress; null for none.</param>
    /// <param name="gate">The gate to pass once, after all observers have registered and before the first change.</param>
    /// <param name="cancellationToken">Ends it early, with the measurements so far as the result.</param>
    /// <exception cref="OperationCanceledException">The run was cancelled before it measured anything.</exception>
    public static async Task<LoadResult> RunAsync(LoadPlan plan, IReadOnlyList<ObservingPeer> peers, CoapClient? changes,
        IProgress<LoadProgress>? progress, StartGate gate, CancellationToken cancellationToken)
    {
        ObserveFigures figures = new();
        ObservePhaseRunner clock = new(plan, figures, progress);
        AnswerCheck check = new(plan);
        PeerObserver[] observers = [.. peers.Select(peer => new PeerObserver(plan, peer, check, figures))];
        await using CoapClient? own = changes is null ? new CoapClient() : null;
        ResourceChanger changer = new(plan, changes ?? own!, figures);
        bool isEndedWell = false;
        try
        {
            await clock.DuringAsync("connecting", RegisterAsync(plan, observers, clock, cancellationToken)).ConfigureAwait(false);
            await clock.DuringAsync("connecting", gate.ReadyAsync(cancellationToken)).ConfigureAwait(false);
            LoadResult result = await MeasureAsync(plan, figures, clock, changer, cancellationToken).ConfigureAwait(false);
            Task<int?> converging = plan.Rate > 0
                ? ConvergeAsync(plan, figures, observers, changer, cancellationToken)
                : Task.FromResult<int?>(null);
            await clock.DuringAsync("ending", converging).ConfigureAwait(false);

            // Includes the times of measured changes that arrived after the end.
            LoadResult whole = figures.ToResult(plan, result.Seconds) with
            {
                Converged = await converging.ConfigureAwait(false),
                Series = result.Series,
                OwnProcessorSeconds = result.OwnProcessorSeconds,
                ServerProcessorSeconds = result.ServerProcessorSeconds,
                ServerResidentBytes = result.ServerResidentBytes,
            };
            isEndedWell = !cancellationToken.IsCancellationRequested;
            return whole;
        }
        finally
        {
            await EndAsync(plan, observers, isEndedWell).ConfigureAwait(false);
        }
    }

    private static async Task RegisterAsync(LoadPlan plan, PeerObserver[] observers, ObservePhaseRunner clock,
        CancellationToken cancellationToken)
    {
        TimeProvider time = TimeProvider.System;
        long begun = MonotonicTimestamp.Now;
        Task[] registering = new Task[observers.Length];
        for (int i = 0; i < observers.Length; i++)
        {
            TimeSpan due = TimeSpan.FromSeconds(plan.RampSeconds * i / observers.Length);
            while (due - time.GetElapsedTime(begun) is { Ticks: > 0 } wait)
            {
                await Task.Delay(wait < TimeSpan.FromMilliseconds(1) ? TimeSpan.FromMilliseconds(1) : wait, time, cancellationToken)
                    .ConfigureAwait(false);
            }

            registering[i] = observers[i].RegisterAsync(cancellationToken);
            clock.Peers = i + 1;
        }

        await Task.WhenAll(registering).ConfigureAwait(false);
    }

    private static async Task<LoadResult> MeasureAsync(
        LoadPlan plan, ObserveFigures figures, ObservePhaseRunner clock, ResourceChanger changer,
        CancellationToken cancellationToken)
    {
        using CancellationTokenSource stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        ServerProcessMeter server = new(plan.ServerProcess);
        Task changing = Task.CompletedTask;
        if (IsChanging(plan))
        {
            await changer.ReadAsync(cancellationToken).ConfigureAwait(false);
            changing = changer.RunAsync(stop.Token);
        }

        try
        {
            await clock.PassAsync("warming up", plan.WarmUpSeconds, cancellationToken).ConfigureAwait(false);
            cancellationToken.ThrowIfCancellationRequested();
            TimeSpan? serverBefore = server.ProcessorTime;
            TimeSpan before = Environment.CpuUsage.TotalTime;
            figures.SetMeasuring(true);
            IReadOnlyList<LoadSecond> series = await clock.PassAsync("measuring", plan.Seconds, cancellationToken).ConfigureAwait(false);
            figures.SetMeasuring(false);
            TimeSpan after = Environment.CpuUsage.TotalTime;
            TimeSpan? serverAfter = server.ProcessorTime;
            long? serverMemory = server.ResidentBytes;
            if (series.Count == 0)
            {
                throw new OperationCanceledException("The run ended before it measured anything.", cancellationToken);
            }

            return figures.ToResult(plan, series[^1].At) with
            {
                Series = series,
                OwnProcessorSeconds = (after - before).TotalSeconds,
                ServerProcessorSeconds = (serverAfter - serverBefore)?.TotalSeconds,
                ServerResidentBytes = serverMemory,
            };
        }
        finally
        {
            await stop.CancelAsync().ConfigureAwait(false);
            await changing.ConfigureAwait(false);
        }
    }

    // If another worker makes the changes, the resource itself has the last one.
    private static async Task<int?> ConvergeAsync(LoadPlan plan, ObserveFigures figures, PeerObserver[] observers, ResourceChanger changer,
        CancellationToken cancellationToken)
    {
        TimeProvider time = TimeProvider.System;
        long begun = time.GetTimestamp();
        while (true)
        {
            if (!IsChanging(plan) && !cancellationToken.IsCancellationRequested)
            {
                await changer.ReadAsync(cancellationToken).ConfigureAwait(false);
            }

            int converged = changer.Last is { } last ? observers.Count(observer => observer.Has(last)) : 0;
            if (converged >= figures.Observers || cancellationToken.IsCancellationRequested
                || time.GetElapsedTime(begun).TotalSeconds >= plan.TimeoutSeconds)
            {
                return converged;
            }

            await Task.Delay(TimeSpan.FromMilliseconds(20), time, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    // A few at a time, to avoid a burst; a notification after the end would find no observer.
    private static async Task EndAsync(LoadPlan plan, PeerObserver[] observers, bool waits)
    {
        using CancellationTokenSource limit = new(TimeSpan.FromSeconds(plan.TimeoutSeconds), TimeProvider.System);
        await Parallel.ForEachAsync(
            observers,
            new ParallelOptions { MaxDegreeOfParallelism = 64 },
            async (observer, _) => await observer.EndAsync(waits && !limit.IsCancellationRequested, limit.Token).ConfigureAwait(false))
            .ConfigureAwait(false);
    }

    private static bool IsChanging(LoadPlan plan) => plan.Rate > 0 && plan.FirstPeer == 0;
}
