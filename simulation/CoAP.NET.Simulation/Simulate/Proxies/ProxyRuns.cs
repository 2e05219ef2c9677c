namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>Runs scenarios with proxies, one after the other: virtual time waits until every other thread of the process sleeps.</summary>
internal static class ProxyRuns
{
    /// <summary>The word for <c>--only</c>.</summary>
    public const string Word = "proxies";

    private const int Steps = 100;
    private const int DefaultSeeds = 50;
    private const int ShownFailures = 3;

    // A planted defect is found in short runs.
    private const int PlantSteps = 12;
    private const int PlantSeeds = 20;

    /// <summary>Runs a scenario.</summary>
    /// <param name="scenario">The scenario.</param>
    /// <param name="plant">One of <see cref="ProxyPlants"/>; null for none.</param>
    /// <returns>What did not hold, and a line that tells what happened.</returns>
    public static async Task<(IReadOnlyList<ProxyViolation> Violations, string Summary)> RunAsync(ProxyScenario scenario, string? plant)
    {
        ProxyRun run = new(scenario, plant);
        await using (run)
        {
            await run.RunAsync();
            return (run.Violations, run.Summary);
        }
    }

    /// <summary>Looks for a seed that finds a planted defect by the check that is there for it.</summary>
    /// <param name="plant">The word of the defect.</param>
    /// <param name="seeds">How many seeds, from 1 on.</param>
    /// <returns>The seed; null when none found it.</returns>
    public static async Task<ulong?> FindAsync(string plant, int seeds = PlantSeeds)
    {
        for (ulong seed = 1; seed <= (ulong)seeds; seed++)
        {
            (IReadOnlyList<ProxyViolation> violations, _) = await RunAsync(ProxyScenario.Make(seed, PlantSteps), plant);
            if (violations.Any(violation => violation.Check == ProxyPlants.All[plant].FoundBy))
            {
                return seed;
            }
        }

        return null;
    }

    /// <summary>Takes steps out of a scenario as long as it fails by the same check. Runs are not the same bit for bit, so that what is
    /// left may need several runs to fail again.</summary>
    /// <param name="failed">The scenario.</param>
    /// <param name="check">The check.</param>
    /// <param name="plant">The planted defect; null for none.</param>
    /// <param name="maxRuns">How many runs, at most.</param>
    public static async Task<ProxyScenario> ShrinkAsync(ProxyScenario failed, ProxyCheck check, string? plant, int maxRuns = 60) =>
        failed with
        {
            Steps = await Shrinker.ShrinkAsync(
                failed.Steps,
                async steps => (await RunAsync(failed with { Steps = steps }, plant)).Violations
                    .Any(violation => violation.Check == check),
                maxRuns),
        };

    /// <summary>What <c>simulate --only proxies</c> does.</summary>
    public static async Task<CampaignReport> RunSeedsAsync(
        CampaignOptions options, TextWriter progress, CancellationToken cancellationToken)
    {
        if (options.Plant == PlantTable.EachPlant)
        {
            return await PlantTable.FindEachAsync(
                ProxyPlants.All.Select(one => (one.Key, one.Value.Summary, $"{one.Value.FoundBy}")),
                PlantSeeds,
                plant => FindAsync(plant),
                cancellationToken);
        }

        List<string> failures = [];
        List<ProxyScenario> failed = [];
        int steps = (int)(options.Executions ?? Steps);
        int seeds = options.Seeds ?? (options.Budget is null ? DefaultSeeds : int.MaxValue);
        Watch started = new();
        int index = 0;
        for (; index < seeds && !cancellationToken.IsCancellationRequested
            && !(options.Budget is { } budget && started.Elapsed > budget); index++)
        {
            ProxyScenario scenario = ProxyScenario.Make(options.Seed + (ulong)index, steps);
            (IReadOnlyList<ProxyViolation> violations, string summary) = await RunAsync(scenario, options.Plant);
            if (options.Verbose)
            {
                // Before steps are taken out, which takes many runs.
                progress.WriteLine(string.Join('\n', (object[])[summary, .. violations]));
            }

            if (violations.Count > 0)
            {
                failed.Add(scenario);
                failures.Add(failed.Count > ShownFailures ? $"{scenario.Plan.Seed}: {violations[0]}"
                    : await ReportAsync(scenario, violations, options.Plant));
            }
        }

        return new CampaignReport($"{index} seeds with {steps} steps each, {failed.Count} of them failed, "
            + $"in {started.Elapsed.TotalSeconds:0.0} s.\n", failures);
    }

    /// <summary>Runs a scenario that was kept.</summary>
    public static async Task<CampaignReport> RunOneAsync(string text, CampaignOptions options, TextWriter progress)
    {
        (IReadOnlyList<ProxyViolation> violations, string summary) = await RunAsync(ProxyScenario.Parse(text), options.Plant);
        progress.WriteLine(summary);
        return new CampaignReport("", [.. violations.Select(violation => violation.ToString())]);
    }

    private static async Task<string> ReportAsync(ProxyScenario scenario, IReadOnlyList<ProxyViolation> violations, string? plant)
    {
        ProxyScenario shrunk = await ShrinkAsync(scenario, violations[0].Check, plant);
        StringBuilder text = new();
        text.Append($"seed {scenario.Plan.Seed}, of {scenario.Steps.Count} steps {shrunk.Steps.Count} are enough. Again: ");
        text.Append($"simulate --only {Word} --seed {scenario.Plan.Seed} --seeds 1 --executions {scenario.Steps.Count}");
        text.Append(plant is null ? "" : $" --plant {plant}").Append("\nor keep the scenario in a file: simulate --only FILE\n");
        foreach (ProxyViolation violation in violations)
        {
            text.Append(violation).Append('\n');
        }

        return text.Append(shrunk).ToString();
    }
}
