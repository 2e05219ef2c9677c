using System.Globalization;
using System.Text;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>Runs scenarios with clusters, in processes that have a thread pool of one thread (<see cref="AloneDrive"/>).</summary>
internal static class ClusterRuns
{
    /// <summary>The word for <c>--only</c>.</summary>
    public const string Word = "cluster";

    /// <summary>The word for <c>--plant</c> that stands for every defect, each by itself.</summary>
    public const string EachPlant = "each";

    private const int Steps = 60;
    private const int DefaultSeeds = 50;
    private const int PlantSeeds = 20;
    private const int ToldSeeds = 500;

    /// <summary>Runs a scenario in this process.</summary>
    /// <param name="scenario">The scenario.</param>
    /// <param name="plant">One of <see cref="ClusterPlants"/>; null for none.</param>
    /// <returns>The run, when it has ended.</returns>
    public static async Task<ClusterRun> RunAsync(ClusterScenario scenario, string? plant)
    {
        ClusterRun run = new(scenario, plant);
        await run.RunAsync().ConfigureAwait(false);
        return run;
    }

    /// <summary>Takes steps out of a scenario as long as it fails by the same check.</summary>
    /// <param name="failed">The scenario.</param>
    /// <param name="check">The check.</param>
    /// <param name="plant">The planted defect; null for none.</param>
    /// <param name="maxRuns">How many runs, at most.</param>
    public static async Task<ClusterScenario> ShrinkAsync(ClusterScenario failed, ClusterCheck check, string? plant, int maxRuns = 80)
    {
        int runs = 0;
        for (int size = Math.Max(1, failed.Steps.Count / 2); size > 0 && runs < maxRuns; size /= 2)
        {
            for (int at = 0; at < failed.Steps.Count && runs < maxRuns;)
            {
                ClusterScenario smaller = failed with { Steps = [.. failed.Steps.Take(at), .. failed.Steps.Skip(at + size)] };
                runs++;
                if ((await RunAsync(smaller, plant).ConfigureAwait(false)).Violations.Any(violation => violation.Check == check))
                {
                    failed = smaller;
                }
                else
                {
                    at += size;
                }
            }
        }

        return failed;
    }

    /// <summary>Looks for a seed that finds a planted defect by the check that is there for it.</summary>
    /// <param name="plant">The word of the defect.</param>
    /// <param name="seeds">How many seeds, from 1 on.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>The seed; null when none found it.</returns>
    public static async Task<ulong?> FindAsync(string plant, int seeds = PlantSeeds, CancellationToken cancellationToken = default)
    {
        ulong? found = null;
        await ClusterWorker.RunAsync(
            new ClusterOrder(1, 1, seeds, Steps, IsVerbose: false, plant),
            static _ => { },
            seed => found = ulong.Parse(seed, CultureInfo.InvariantCulture),
            cancellationToken).ConfigureAwait(false);
        return found;
    }

    /// <summary>What <c>simulate --only cluster</c> does.</summary>
    /// <param name="options">Which seeds, or which defect.</param>
    /// <param name="kept">The file of a scenario that was kept; null for seeds.</param>
    /// <param name="progress">Is told of failures at once.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public static async Task<CampaignReport> RunSeedsAsync(
        CampaignOptions options, string? kept, TextWriter progress, CancellationToken cancellationToken)
    {
        if (options.Plant == EachPlant)
        {
            return await FindEachAsync(cancellationToken).ConfigureAwait(false);
        }

        int seeds = kept is not null ? 1 : options.Seeds ?? (options.Budget is null ? DefaultSeeds : int.MaxValue);
        int steps = (int)(options.Executions ?? Steps);
        int count = options.Verbose ? 1 : Math.Min(seeds, Environment.ProcessorCount);
        long started = TimeProvider.System.GetTimestamp();
        using CancellationTokenSource stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        if (options.Budget is { } budget)
        {
            stop.CancelAfter(budget);
        }

        ClusterTally tally = new();
        List<string> failures = [];
        Task[] workers = [.. Enumerable.Range(0, count).Select(index => ClusterWorker.RunAsync(
            new ClusterOrder(options.Seed + (ulong)index, count, (int)((seeds - index + (long)count - 1) / count), steps, options.Verbose,
                options.Plant ?? "", kept ?? ""),
            one =>
            {
                lock (failures)
                {
                    tally += one;
                    if (tally.Seeds % ToldSeeds == 0)
                    {
                        progress.WriteLine(tally.Describe());
                    }
                }
            },
            failure =>
            {
                lock (failures)
                {
                    failures.Add(failure);
                    progress.WriteLine(failure);
                }
            },
            stop.Token))];
        await Task.WhenAll(workers).ConfigureAwait(false);
        return new CampaignReport(string.Create(CultureInfo.InvariantCulture,
            $"{tally.Describe()}, with {steps} steps each, in {TimeProvider.System.GetElapsedTime(started).TotalSeconds:0.0} s.\n"),
            failures);
    }

    private static async Task<CampaignReport> FindEachAsync(CancellationToken cancellationToken)
    {
        StringBuilder table = new("| `--plant` | defect | check | found with seed |\n|---|---|---|---|\n");
        List<string> failures = [];
        foreach ((string name, ClusterPlant plant) in ClusterPlants.All.TakeWhile(_ => !cancellationToken.IsCancellationRequested))
        {
            ulong? seed = await FindAsync(name, PlantSeeds, cancellationToken).ConfigureAwait(false);
            table.Append(CultureInfo.InvariantCulture,
                $"| {name} | {plant.Summary} | {plant.FoundBy} | {seed?.ToString(CultureInfo.InvariantCulture) ?? "not found"} |\n");
            if (seed is null)
            {
                failures.Add($"The planted defect {name} was not found with {PlantSeeds} seeds.");
            }
        }

        return new CampaignReport(table.ToString(), failures);
    }
}
