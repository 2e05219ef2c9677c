namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>Runs scenarios with clusters, in processes that have a thread pool of one thread (<see cref="AloneDrive"/>).</summary>
internal static class ClusterRuns
{
    /// <summary>The word for <c>--only</c>.</summary>
    public const string Word = "cluster";

    private const int Steps = 60;
    private const int DefaultSeeds = 50;
    private const int PlantSeeds = 30;
    private const int ToldSeeds = 500;

    /// <summary>Looks for a seed that finds a planted defect by the check that is there for it.</summary>
    /// <param name="plant">The word of the defect.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>The seed; null when none of thirty found it.</returns>
    public static async Task<ulong?> FindAsync(string plant, CancellationToken cancellationToken = default)
    {
        ulong? found = null;
        await ClusterWorker.RunAsync(
            new ClusterOrder(1, 1, PlantSeeds, Steps, IsVerbose: false, plant),
            (_, _) => { },
            failure => found = ulong.TryParse(failure, out ulong seed) ? seed : found,
            cancellationToken);
        return found;
    }

    /// <summary>What <c>simulate --only cluster</c> does.</summary>
    /// <param name="options">Which seeds, or which defect.</param>
    /// <param name="kept">The file of scenarios that were kept, one after the other; null for seeds.</param>
    /// <param name="progress">Is told of failures at once.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <param name="tell">Gets the number of each scenario in the file, and what happened; null for nothing.</param>
    public static async Task<CampaignReport> RunSeedsAsync(
        CampaignOptions options, string? kept, TextWriter progress, CancellationToken cancellationToken,
        Action<int, ClusterTally>? tell = null)
    {
        if (options.Plant == PlantTable.EachPlant)
        {
            return await PlantTable.FindEachAsync(
                ClusterPlants.All.Select(one => (one.Key, one.Value.Summary, $"{one.Value.FoundBy}")),
                PlantSeeds,
                plant => FindAsync(plant, cancellationToken),
                cancellationToken);
        }

        int seeds = kept is not null
            ? ClusterScenario.ParseAll(await File.ReadAllTextAsync(kept, cancellationToken)).Count
            : options.Seeds ?? (options.Budget is null ? DefaultSeeds : int.MaxValue);
        ulong first = kept is not null ? 0 : options.Seed;
        int steps = (int)(options.Executions ?? Steps);
        int count = options.Verbose ? 1 : Math.Min(seeds, Environment.ProcessorCount);
        Watch started = new();
        using CancellationTokenSource stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        if (options.Budget is { } budget)
        {
            stop.CancelAfter(budget);
        }

        ClusterTally tally = new();
        List<string> failures = [];
        Task[] workers = [.. Enumerable.Range(0, count).Select(index => ClusterWorker.RunAsync(
            new ClusterOrder(first + (ulong)index, count, (int)((seeds - index + (long)count - 1) / count), steps, options.Verbose,
                options.Plant ?? "", kept ?? ""),
            (seed, one) =>
            {
                lock (failures)
                {
                    tally += one;
                    tell?.Invoke((int)seed, one);
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
        await Task.WhenAll(workers);
        return
            new CampaignReport($"{tally.Describe()}, with {steps} steps each, in {started.Elapsed.TotalSeconds:0.0} s.\n",
            failures);
    }
}
