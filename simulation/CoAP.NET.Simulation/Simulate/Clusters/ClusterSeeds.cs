using System.Text.Json;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>What a process runs, seed by seed (<see cref="ClusterWorker"/>).</summary>
/// <param name="order">Which seeds.</param>
internal sealed class ClusterSeeds(ClusterOrder order)
{
    private const int MaxShrinkRuns = 80;
    private const int ShownLines = 400;

    private readonly string? _plant = order.Plant.Length > 0 ? order.Plant : null;
    private ClusterScenario _scenario = new(new ClusterPlan(), []);
    private ClusterRun? _run;

    /// <summary>Runs all of them.</summary>
    public async Task RunAsync()
    {
        ClusterJournal.Echo = order.IsVerbose ? Console.Error : null;
        IReadOnlyList<ClusterScenario>? kept = order.Kept.Length > 0
            ? ClusterScenario.ParseAll(await File.ReadAllTextAsync(order.Kept))
            : null;
        using StandstillWatchdog watchdog = new(EndProcess);
        for (int i = 0; i < order.Seeds; i++)
        {
            ulong seed = order.Seed + (ulong)(i * order.Stride);
            ClusterScenario scenario = kept is null ? ClusterScenario.Make(seed, order.Steps) : kept[(int)seed];
            ClusterRun run = await RunAsync(scenario);
            if (order.IsVerbose)
            {
                await Console.Error.WriteLineAsync(Report(scenario, run, 0));
            }

            bool isFound = _plant is not null && run.Violations.Any(one => one.Check == ClusterPlants.All[_plant].FoundBy);
            string? failure = null;
            if (run.Violations.Count > 0 && _plant is null)
            {
                ClusterScenario shrunk = await ShrinkAsync(scenario, run.Violations[0].Check);
                ClusterRun again = await RunAsync(shrunk);
                failure = again.Violations.Count > 0 ? Report(shrunk, again, ShownLines) : Report(scenario, run, ShownLines);
            }
            else if (isFound)
            {
                failure = $"{scenario.Plan.Seed}";
            }

            Say(run.Tally, failure);
            if (isFound)
            {
                break;
            }
        }
    }

    private static void Say(ClusterTally tally, string? failure) =>
        Console.Out.WriteLine(JsonSerializer.Serialize(new ClusterNews(tally with { Failed = failure is null ? 0 : 1 }, failure)));

    private static string Report(ClusterScenario scenario, ClusterRun run, int lines)
    {
        StringBuilder text = new();
        text.Append($"seed {scenario.Plan.Seed}, {scenario.Steps.Count} steps: {run.Tally.Describe()}\n");
        foreach (ClusterViolation violation in run.Violations)
        {
            text.Append(violation).Append('\n');
        }

        text.Append($"Again: simulate --only cluster --seed {scenario.Plan.Seed} --seeds 1 --verbose, ")
            .Append("or simulate --only FILE with this:\n");
        text.Append(scenario.Describe());
        foreach (string line in run.Journal.TakeLast(lines))
        {
            text.Append(line).Append('\n');
        }

        return text.ToString();
    }

    private async Task<ClusterRun> RunAsync(ClusterScenario scenario)
    {
        ClusterRun run = new(scenario, _plant);
        (_scenario, _run) = (scenario, run);
        await run.RunAsync();
        return run;
    }

    // Takes steps out as long as the scenario fails by the same check.
    private async Task<ClusterScenario> ShrinkAsync(ClusterScenario failed, ClusterCheck check) => failed with
    {
        Steps = await Shrinker.ShrinkAsync(
            failed.Steps,
            async steps => (await RunAsync(failed with { Steps = steps })).Violations
                .Any(violation => violation.Check == check),
            MaxShrinkRuns),
    };

    // The thread of the run does not come back, so that the process is of no use any more.
    private void EndProcess(string why)
    {
        if (_run is { } run)
        {
            run.TellEndless(why);
            Say(run.Tally, Report(_scenario, run, ShownLines));
        }

        Environment.Exit(ClusterWorker.StoodStill);
    }
}
