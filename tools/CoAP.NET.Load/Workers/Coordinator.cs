using System.Net;
using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Workers;

/// <summary>
/// Runs a plan on several machines: distributes the plan, starts all workers together when all are ready, and adds up their measurements.
/// Any failure before the start ends the run, because it would differ from the plan. A worker that is lost later is an error of kind
/// <see cref="WorkerLost"/> or <see cref="WorkerFailed"/> in the result, which contains the number of workers.
/// </summary>
internal static class Coordinator
{
    /// <summary>
    /// The kind of error of a worker that vanished, hung or broke the protocol during a run: its measurements are not in the result.
    /// </summary>
    public const string WorkerLost = "worker lost";

    /// <summary>The kind of error of a worker that reported a failed run.</summary>
    public const string WorkerFailed = "worker failed";

    private static readonly TimeSpan TickEvery = TimeSpan.FromSeconds(1);

    /// <inheritdoc cref="RunAsync(IReadOnlyList{DnsEndPoint}, LoadPlan, IProgress{LoadProgress}, CoordinatorOptions, CancellationToken)"/>
    public static Task<LoadResult> RunAsync(IReadOnlyList<DnsEndPoint> workers, LoadPlan plan, IProgress<LoadProgress>? progress,
        CancellationToken cancellationToken) =>
            RunAsync(workers, plan, progress, new CoordinatorOptions(), cancellationToken);

    /// <summary>Runs a plan.</summary>
    /// <param name="workers">Their addresses.</param>
    /// <param name="plan">The whole plan.</param>
    /// <param name="progress">Receives the sum of their progress each second.</param>
    /// <param name="options">Other options.</param>
    /// <param name="cancellationToken">Ends the run, with the measurements so far as the result.</param>
    /// <exception cref="DistributedRunException">A worker is not available, or all were lost.</exception>
    /// <exception cref="OperationCanceledException">The run was cancelled before it measured anything.</exception>
    public static async Task<LoadResult> RunAsync(IReadOnlyList<DnsEndPoint> workers, LoadPlan plan, IProgress<LoadProgress>? progress,
        CoordinatorOptions options, CancellationToken cancellationToken)
    {
        IReadOnlyList<LoadPlan> shares = PlanDivision.Divide(plan, workers.Count);
        if (shares.Count < workers.Count)
        {
            options.Say?.Invoke($"{shares.Count} of {workers.Count} workers take part: there are no more peers.");
        }

        WorkerLink?[] links = new WorkerLink?[shares.Count];
        try
        {
            // Tries all to the end, so that the error names every missing one.
            await AllAsync(shares.Count, async (i, token) => links[i] = await WorkerLink.ConnectAsync(workers[i], options, token),
                hasty: false, cancellationToken);
            return await RunAsync([.. links.Select(static link => link!)], shares, plan, progress, options, cancellationToken);
        }
        finally
        {
            foreach (WorkerLink? link in links)
            {
                if (link is not null)
                {
                    await link.DisposeAsync();
                }
            }
        }
    }

    private static async Task<LoadResult> RunAsync(List<WorkerLink> links, IReadOnlyList<LoadPlan> shares, LoadPlan plan,
        IProgress<LoadProgress>? progress, CoordinatorOptions options, CancellationToken cancellationToken)
    {
        List<DistributedRunException> lost = [];
        using CancellationTokenSource over = new();
        Task ticking = TickAsync(links, lost, progress, options.Time, over.Token);
        try
        {
            // A process id is valid on one machine only, and one worker is enough to read it.
            int reader = links.FindIndex(static link => link.IsHere);
            if (plan.ServerProcess is not null && reader < 0)
            {
                options.Say?.Invoke("No worker runs on this machine, so the report lacks the server's processor time and memory.");
            }

            await AllAsync(links.Count,
                (i, token) => links[i].PrepareAsync(i == reader ? shares[i] : shares[i] with { ServerProcess = null }, token), hasty: true,
                cancellationToken);
            return await MeasureAsync(links, lost, plan, options, cancellationToken);
        }
        finally
        {
            await over.CancelAsync();
            await ticking;
        }
    }

    private static async Task<LoadResult> MeasureAsync(List<WorkerLink> links, List<DistributedRunException> lost, LoadPlan plan,
        CoordinatorOptions options, CancellationToken cancellationToken)
    {
        using CancellationTokenSource patience = new(
            PlanTime.Of(plan.RampSeconds + plan.WarmUpSeconds + plan.Seconds + plan.TimeoutSeconds) + options.ResultLimit, options.Time);
        TaskCompletionSource cancelled = new(TaskCreationOptions.RunContinuationsAsynchronously);
        using CancellationTokenRegistration registration = cancellationToken.Register(cancelled.SetResult);

        // Starts all first and then waits for them; no start waits for another.
        Task<LoadResult?[]> all = Task.WhenAll(links.Select(link => OneAsync(link, lost, options, patience.Token, cancellationToken)));
        if (await Task.WhenAny(all, cancelled.Task) == cancelled.Task)
        {
            patience.CancelAfter(options.CancelLimit);
            await Task.WhenAll(links.Select(static link => link.CancelAsync()));
        }

        LoadResult[] parts = [.. (await all).OfType<LoadResult>()];
        if (parts.Length == 0)
        {
            cancellationToken.ThrowIfCancellationRequested();
            throw new DistributedRunException(
                lost[0].Kind, "No worker has a result. " + string.Join(' ', lost.Select(static one => one.Message)),
                lost[0]);
        }

        return Sum(plan, parts, lost);
    }

    // Null if the worker has nothing to add.
    private static async Task<LoadResult?> OneAsync(WorkerLink link, List<DistributedRunException> lost, CoordinatorOptions options,
        CancellationToken patience, CancellationToken cancelled)
    {
        DistributedRunException why;
        try
        {
            await link.StartAsync(patience);
            return await link.ResultAsync(patience);
        }
        catch (DistributedRunException exception) when (
            exception.Kind == WorkerProtocolErrorCodes.Cancelled && cancelled.IsCancellationRequested)
        {
            return null;
        }
        catch (DistributedRunException exception)
        {
            why = exception;
        }
        catch (OperationCanceledException)
        {
            why = new DistributedRunException(WorkerProtocolErrorCodes.TimeOut, $"Worker {link.Name}: no result in time.");
        }

        lock (lost)
        {
            lost.Add(why);
        }

        options.Say?.Invoke("Out of the run: " + why.Message);
        return null;
    }

    private static LoadResult Sum(LoadPlan plan, LoadResult[] parts, List<DistributedRunException> lost)
    {
        LoadResult sum = LoadResult.Merge(plan, parts);
        Dictionary<string, long> errors = new(sum.Errors);
        foreach (DistributedRunException one in lost)
        {
            string kind = one.Kind == WorkerProtocolErrorCodes.Failed ? WorkerFailed : WorkerLost;
            errors[kind] = errors.GetValueOrDefault(kind) + 1;
        }

        // A worker cancelled in its warm-up has measured for no time; it must not lower the average.
        return sum with
        {
            Errors = errors,
            Seconds = parts.Select(static part => part.Seconds).Where(static seconds => seconds > 0).DefaultIfEmpty().Average()
        };
    }

    private static async Task TickAsync(List<WorkerLink> links, List<DistributedRunException> lost, IProgress<LoadProgress>? progress,
        TimeProvider time, CancellationToken over)
    {
        if (progress is null)
        {
            return;
        }

        using PeriodicTimer timer = new(TickEvery, time);
        try
        {
            while (await timer.WaitForNextTickAsync(over))
            {
                int gone;
                lock (lost)
                {
                    gone = lost.Count;
                }

                if (ProgressTotals.Of(links, gone) is { } tick)
                {
                    progress.Report(tick);
                }
            }
        }
        catch (OperationCanceledException)
        {
            // The run is over.
        }
    }

    // Runs a step with all workers. Hasty: the first failure ends the wait for the others.
    private static async Task AllAsync(int count, Func<int, CancellationToken, Task> step, bool hasty, CancellationToken cancellationToken)
    {
        using CancellationTokenSource failed = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        Task all = Task.WhenAll(Enumerable.Range(0, count).Select(OneAsync));
        try
        {
            await all;
        }
        catch when (all.Exception?.InnerExceptions.OfType<DistributedRunException>().ToArray() is [var first, ..] failures)
        {
            cancellationToken.ThrowIfCancellationRequested();
            throw failures.Length == 1
                ? first
                : new DistributedRunException(first.Kind, string.Join(' ', failures.Select(static one => one.Message)), all.Exception);
        }

        async Task OneAsync(int index)
        {
            try
            {
                await step(index, failed.Token);
            }
            catch (DistributedRunException) when (hasty)
            {
                await failed.CancelAsync();
                throw;
            }
        }
    }
}
