using CoAP.NET.Simulation.Simulate.Clusters;
using CoAP.NET.Simulation.Simulate.Proxies;

namespace CoAP.NET.Simulation.Simulate;

/// <summary>Runs scenarios, one for each seed, and checks each of them.</summary>
internal sealed class SimulateCampaign() : Campaign(
    "simulate",
    "Endpoints and the network between them in virtual time, all from one seed.")
{
    private const int ShownFailures = 5;
    private const int ComparedSeeds = 50;

    /// <summary>Runs one seed, or one scenario.</summary>
    /// <param name="scenario">The scenario.</param>
    /// <param name="plant">The word of a defect; null for none.</param>
    /// <param name="again">Whether it is run twice, to see that both are the same.</param>
    public static RunResult Run(Scenario scenario, string? plant = null, bool again = false)
    {
        RunResult result = SimulatedWorld.Run(scenario, Make(plant));
        return again && result.IsGood && SimulatedWorld.Run(scenario, Make(plant)).Hash != result.Hash
            ? result with { Violations = [new Violation(CheckKind.SameAgain, "the second run was not the first one", result.Time, [])] }
            : result;
    }

    public override Task<CampaignReport> RunAsync(CampaignOptions options, TextWriter progress, CancellationToken cancellationToken)
    {
        if (options.Only == SleeperRun.Word)
        {
            return SleeperRun.RunAsync(options, cancellationToken);
        }

        if (options.Only == ClusterFaultTable.Word)
        {
            return ClusterFaultTable.RunAsync(options, progress, cancellationToken);
        }

        string? kept = options.Only is { } file && file is not (ProxyRuns.Word or ClusterRuns.Word) ? File.ReadAllText(file) : null;
        if (options.Only == ClusterRuns.Word || (kept is not null && ClusterScenario.IsOne(kept)))
        {
            return options.Plant is null or PlantTable.EachPlant || ClusterPlants.All.ContainsKey(options.Plant)
                ? ClusterRuns.RunSeedsAsync(options, kept is null ? null : options.Only, progress, cancellationToken)
                : Task.FromResult(new CampaignReport("", [$"--plant knows {string.Join(", ", ClusterPlants.All.Keys)}."]));
        }

        bool isOfProxies = options.Only == ProxyRuns.Word || (kept is not null && ProxyScenario.IsOne(kept));
        IEnumerable<string> plants = isOfProxies ? [.. ProxyPlants.All.Keys, PlantTable.EachPlant] : Plants.All.Keys;
        if (options.Plant is { } plant && !plants.Contains(plant))
        {
            return Task.FromResult(new CampaignReport("", [$"--plant knows {string.Join(", ", plants)}."]));
        }

        if (isOfProxies)
        {
            return kept is null ? ProxyRuns.RunSeedsAsync(options, progress, cancellationToken)
                : ProxyRuns.RunOneAsync(kept, options, progress);
        }

        using IDisposable poison = BufferPoison.Start();
        if (kept is not null)
        {
            RunResult one = Run(Scenario.Parse(kept), options.Plant, again: true);
            progress.WriteLine(one.Describe(options.Verbose ? int.MaxValue : 100));
            return Task.FromResult(new CampaignReport($"hash {one.Hash:x16}\n", one.IsGood ? [] : [one.Violations[0].ToString()]));
        }

        SimulateTotals totals = new();
        ConcurrentQueue<RunResult> failed = new();
        long started = TimeProvider.System.GetTimestamp();
        RunSeeds(options, totals, failed, progress, started, cancellationToken);
        TimeSpan took = TimeProvider.System.GetElapsedTime(started);
        List<string> failures = [];
        foreach (RunResult failure in failed.OrderBy(result => result.Scenario.Seed).Take(ShownFailures))
        {
            failures.Add(Report(failure, options));
        }

        if (failed.Count > ShownFailures)
        {
            failures.Add($"{failed.Count} seeds failed in all: {string.Join(", ", failed.Select(one => one.Scenario.Seed).Order())}");
        }

        if (totals.Unobserved is { } unobserved)
        {
            failures.Add($"An exception was never observed: {unobserved}");
        }

        StringBuilder body = new(totals.ToMarkdown(took));
        if (options.Plant is null && !cancellationToken.IsCancellationRequested)
        {
            body.Append(PlantedDefects(failures));
        }

        return Task.FromResult(new CampaignReport(body.ToString(), failures));
    }

    private static Plant? Make(string? plant) => plant is null ? null : Plants.All[plant]();

    private static void RunSeeds(CampaignOptions options, SimulateTotals totals, ConcurrentQueue<RunResult> failed, TextWriter progress,
        long started, CancellationToken cancellationToken)
    {
        int seeds = options.Seeds ?? (options.Budget is null ? 500 : int.MaxValue);
        long next = -1;
        long told = 0;
        using IDisposable watch = totals.WatchUnobserved();

        // Runs know nothing of each other, so that as many go on at a time as there are processors; each stays on its thread.
        Thread[] threads = [
            .. Enumerable.Range(0, options.Verbose ? 1 : Environment.ProcessorCount).Select(_ => new Thread(Work) { IsBackground = true })];
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());

        void Work()
        {
            while (!cancellationToken.IsCancellationRequested
                && (options.Budget is not { } budget || TimeProvider.System.GetElapsedTime(started) < budget))
            {
                long index = Interlocked.Increment(ref next);
                if (index >= seeds)
                {
                    return;
                }

                RunResult result = Run(ScenarioGenerator.Make(options.Seed + (ulong)index), options.Plant,
                    again: index % ComparedSeeds == 0 || options.Plant is not null);
                totals.Add(result);
                if (!result.IsGood)
                {
                    failed.Enqueue(result with { Trace = [], Journal = [] });
                }

                if (options.Verbose)
                {
                    progress.WriteLine($"seed {result.Scenario.Seed} hash {result.Hash:x16}\n{result.Describe(int.MaxValue)}");
                }

                long minute = (long)TimeProvider.System.GetElapsedTime(started).TotalMinutes;
                if (minute > Interlocked.Exchange(ref told, minute))
                {
                    progress.WriteLine($"{totals} {failed.Count} failed");
                }
            }
        }
    }

    private static string Report(RunResult failure, CampaignOptions options)
    {
        RunResult shrunk = Shrinker.Shrink(failure,
            scenario => Run(scenario, options.Plant, again: failure.Violations[0].Check == CheckKind.SameAgain));
        string plant = options.Plant is null ? "" : $" --plant {options.Plant}";
        return $"seed {failure.Scenario.Seed}, of {failure.Scenario.Steps.Count} steps {shrunk.Scenario.Steps.Count} are enough. Again: "
                + $"simulate --seed {failure.Scenario.Seed} --seeds 1 --verbose{plant}\nor keep the scenario in a file: simulate --only "
                + $"FILE\n{shrunk.Describe()}";
    }

    private static string PlantedDefects(List<string> failures)
    {
        const int MaxSeeds = 60;
        StringBuilder table =
            new("\nPlanted defects, each found by the check that is there for it:\n\n| `--plant` | defect | check | found with seed "
                + "|\n|---|---|---|---|\n");
        foreach ((string name, Func<Plant> make) in Plants.All)
        {
            Plant plant = make();
            ulong seed = 1;
            while (seed <= MaxSeeds
                && !Run(ScenarioGenerator.Make(seed), name, again: plant.FoundBy == CheckKind.SameAgain).Violations
                    .Any(violation => violation.Check == plant.FoundBy))
            {
                seed++;
            }

            if (seed > MaxSeeds)
            {
                failures.Add($"The planted defect {name} was not found with {MaxSeeds} seeds.");
            }

            table.Append($"| {name} | {plant.Summary} | {plant.FoundBy} | {(seed > MaxSeeds ? "not found" : seed)} |\n");
        }

        return table.ToString();
    }
}
