using System.Diagnostics;
using System.Text.Json;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>A process that runs seeds, and what it tells the one that started it: a line of JSON for each seed.</summary>
internal static class ClusterWorker
{
    /// <summary>The first word of its command line.</summary>
    public const string Verb = "cluster-worker";

    /// <summary>The code with which a process ends whose run stood still; it has told that.</summary>
    public const int StoodStill = 3;

    /// <summary>Runs some seeds in a process of its own, and in others after it where one of them ends early.</summary>
    /// <param name="order">Which.</param>
    /// <param name="tell">Gets each seed, or the number of its scenario in a file, and what happened.</param>
    /// <param name="fail">Is told what did not hold.</param>
    /// <param name="cancellationToken">Ends the process.</param>
    public static async Task RunAsync(
        ClusterOrder order, Action<ulong, ClusterTally> tell, Action<string> fail, CancellationToken cancellationToken)
    {
        int told = 0;
        while (told < order.Seeds && !cancellationToken.IsCancellationRequested)
        {
            int code = await RunProcessAsync(
                order.After(told),
                news =>
                {
                    tell(order.After(told++).Seed, news.Tally);
                    if (news.Failure is { } failure)
                    {
                        fail(failure);
                    }
                },
                cancellationToken);
            if (code == 0)
            {
                return;
            }

            if (code != StoodStill && !cancellationToken.IsCancellationRequested)
            {
                fail($"The process that ran seed {order.After(told).Seed} ended with {code}; what it said is on the error stream.");
                told++;
            }
        }
    }

    /// <summary>What the process does.</summary>
    /// <param name="words">An order.</param>
    /// <returns>The code that it exits with.</returns>
    public static async Task<int> ServeAsync(string[] words)
    {
        if (!AloneDrive.TryBeAlone())
        {
            await Console.Error.WriteLineAsync($"This is for processes with {AloneDrive.Variable}=1.");
            return 2;
        }

        await new ClusterSeeds(ClusterOrder.Parse(words)).RunAsync();
        return 0;
    }

    private static async Task<int> RunProcessAsync(ClusterOrder order, Action<ClusterNews> hear, CancellationToken cancellationToken)
    {
        ProcessStartInfo start = SimulationProcess.StartInfo([Verb, .. order.ToWords()]);
        start.Environment[AloneDrive.Variable] = "1";

        // The process has its code compiled well at once: it does the same again and again, and is gone after a while.
        start.Environment["DOTNET_TieredPGO"] = "0";
        start.Environment["DOTNET_TC_CallCountingDelayMs"] = "0";
        using Process process = Process.Start(start)!;
        using CancellationTokenRegistration stop = cancellationToken.Register(process.Kill);
        while (await process.StandardOutput.ReadLineAsync(CancellationToken.None) is { } line)
        {
            if (JsonSerializer.Deserialize<ClusterNews>(line) is { } news)
            {
                hear(news);
            }
        }

        await process.WaitForExitAsync(CancellationToken.None);
        return process.ExitCode;
    }
}

/// <summary>What a process tells of a seed.</summary>
/// <param name="Tally">What happened.</param>
/// <param name="Failure">What did not hold; null for nothing.</param>
internal sealed record ClusterNews(ClusterTally Tally, string? Failure);

/// <summary>What a process of its own runs: seeds, each so much higher than the one before.</summary>
/// <param name="Seed">The first one; of a file of scenarios, which one comes first, from 0 on.</param>
/// <param name="Stride">How much higher the next one is.</param>
/// <param name="Seeds">How many.</param>
/// <param name="Steps">How many steps each has.</param>
/// <param name="IsVerbose">Whether it tells everything.</param>
/// <param name="Plant">The planted defect; empty for none.</param>
/// <param name="Kept">A file with the scenarios that are run in place of seeds; empty for none.</param>
internal sealed record ClusterOrder(ulong Seed, int Stride, int Seeds, int Steps, bool IsVerbose, string Plant = "", string Kept = "")
{
    public static ClusterOrder Parse(string[] words) => new(
        ulong.Parse(words[0]),
        int.Parse(words[1]),
        int.Parse(words[2]),
        int.Parse(words[3]),
        bool.Parse(words[4]),
        words[5],
        words[6]);

    /// <summary>What is left when some seeds have been run.</summary>
    /// <param name="count">How many.</param>
    public ClusterOrder After(int count) => this with { Seed = Seed + (ulong)(count * Stride), Seeds = Seeds - count };

    public IEnumerable<string> ToWords() => [
        Seed.ToString(),
        Stride.ToString(),
        Seeds.ToString(),
        Steps.ToString(),
        IsVerbose.ToString(),
        Plant,
        Kept,
    ];
}
