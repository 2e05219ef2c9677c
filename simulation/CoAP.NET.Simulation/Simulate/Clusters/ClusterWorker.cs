using System.Diagnostics;
using System.Globalization;
using System.Text;
using System.Text.Json;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>A process that runs seeds, and what it tells the one that started it: a line of JSON for each seed.</summary>
internal static class ClusterWorker
{
    /// <summary>The first word of its command line.</summary>
    public const string Verb = "cluster-worker";

    private const int ShownLines = 400;

    /// <summary>Runs some seeds in a process of its own.</summary>
    /// <param name="order">Which.</param>
    /// <param name="tell">Is told what happened in each seed.</param>
    /// <param name="fail">Is told what did not hold.</param>
    /// <param name="cancellationToken">Ends the process.</param>
    public static async Task RunAsync(
        ClusterOrder order, Action<ClusterTally> tell, Action<string> fail, CancellationToken cancellationToken)
    {
        string program = Environment.ProcessPath!;
        List<string> arguments = [Verb, .. order.ToWords()];
        if (Path.GetFileNameWithoutExtension(program) == "dotnet")
        {
            arguments.Insert(0, typeof(ClusterWorker).Assembly.Location);
        }

        ProcessStartInfo start = new(program, arguments) { RedirectStandardOutput = true };
        start.Environment[AloneDrive.Variable] = "1";
        using Process process = Process.Start(start)!;
        using CancellationTokenRegistration stop = cancellationToken.Register(process.Kill);
        while (await process.StandardOutput.ReadLineAsync(CancellationToken.None).ConfigureAwait(false) is { } line)
        {
            if (JsonSerializer.Deserialize<ClusterNews>(line) is { } news)
            {
                tell(news.Tally);
                if (news.Failure is { } failure)
                {
                    fail(failure);
                }
            }
        }

        await process.WaitForExitAsync(CancellationToken.None).ConfigureAwait(false);
        if (process.ExitCode != 0 && !cancellationToken.IsCancellationRequested)
        {
            fail($"A process that ran seeds ended with {process.ExitCode}; what it said is on the error stream.");
        }
    }

    /// <summary>What the process does.</summary>
    /// <param name="words">An order.</param>
    /// <returns>The code that it exits with.</returns>
    public static async Task<int> ServeAsync(string[] words)
    {
        if (!AloneDrive.TryBeAlone())
        {
            await Console.Error.WriteLineAsync($"This is for processes with {AloneDrive.Variable}=1.").ConfigureAwait(false);
            return 2;
        }

        ClusterOrder order = ClusterOrder.Parse(words);
        string? plant = order.Plant.Length > 0 ? order.Plant : null;
        ClusterJournal.Echo = order.IsVerbose ? Console.Error : null;
        for (int i = 0; i < order.Seeds; i++)
        {
            ClusterScenario scenario = order.Kept.Length > 0
                ? ClusterScenario.Parse(await File.ReadAllTextAsync(order.Kept).ConfigureAwait(false))
                : ClusterScenario.Make(order.Seed + (ulong)(i * order.Stride), order.Steps);
            ClusterRun run = await ClusterRuns.RunAsync(scenario, plant).ConfigureAwait(false);
            if (order.IsVerbose)
            {
                await Console.Error.WriteLineAsync(Tell(scenario, run, 0)).ConfigureAwait(false);
            }

            bool isFound = plant is not null && run.Violations.Any(one => one.Check == ClusterPlants.All[plant].FoundBy);
            string? failure = null;
            if (run.Violations.Count > 0 && plant is null)
            {
                ClusterScenario shrunk = await ClusterRuns.ShrinkAsync(scenario, run.Violations[0].Check, plant).ConfigureAwait(false);
                ClusterRun again = await ClusterRuns.RunAsync(shrunk, plant).ConfigureAwait(false);
                failure = again.Violations.Count > 0 ? Tell(shrunk, again, ShownLines) : Tell(scenario, run, ShownLines);
            }
            else if (isFound)
            {
                failure = string.Create(CultureInfo.InvariantCulture, $"{scenario.Plan.Seed}");
            }

            ClusterNews news = new(run.Tally with { Failed = failure is null ? 0 : 1 }, failure);
            await Console.Out.WriteLineAsync(JsonSerializer.Serialize(news)).ConfigureAwait(false);
            if (isFound)
            {
                break;
            }
        }

        return 0;
    }

    private static string Tell(ClusterScenario scenario, ClusterRun run, int lines)
    {
        StringBuilder text = new();
        text.Append(CultureInfo.InvariantCulture, $"seed {scenario.Plan.Seed}, {scenario.Steps.Count} steps: {run.Tally.Describe()}\n");
        foreach (ClusterViolation violation in run.Violations)
        {
            text.Append(violation).Append('\n');
        }

        text.Append(scenario);
        foreach (string line in run.Journal.TakeLast(lines))
        {
            text.Append(line).Append('\n');
        }

        return text.ToString();
    }
}

/// <summary>What a process tells of a seed.</summary>
/// <param name="Tally">What happened.</param>
/// <param name="Failure">What did not hold; null for nothing.</param>
internal sealed record ClusterNews(ClusterTally Tally, string? Failure);
