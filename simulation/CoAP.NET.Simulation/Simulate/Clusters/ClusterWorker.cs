using System.Diagnostics;
using System.Globalization;
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
    /// <param name="tell">Is told what happened in each seed.</param>
    /// <param name="fail">Is told what did not hold.</param>
    /// <param name="cancellationToken">Ends the process.</param>
    public static async Task RunAsync(
        ClusterOrder order, Action<ClusterTally> tell, Action<string> fail, CancellationToken cancellationToken)
    {
        int told = 0;
        while (told < order.Seeds && !cancellationToken.IsCancellationRequested)
        {
            int code = await RunProcessAsync(
                order.After(told),
                news =>
                {
                    told++;
                    tell(news.Tally);
                    if (news.Failure is { } failure)
                    {
                        fail(failure);
                    }
                },
                cancellationToken).ConfigureAwait(false);
            if (code == 0)
            {
                return;
            }

            if (code != StoodStill && !cancellationToken.IsCancellationRequested)
            {
                fail(string.Create(CultureInfo.InvariantCulture,
                    $"The process that ran seed {order.After(told).Seed} ended with {code}; what it said is on the error stream."));
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
            await Console.Error.WriteLineAsync($"This is for processes with {AloneDrive.Variable}=1.").ConfigureAwait(false);
            return 2;
        }

        await new ClusterSeeds(ClusterOrder.Parse(words)).RunAsync().ConfigureAwait(false);
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
        while (await process.StandardOutput.ReadLineAsync(CancellationToken.None).ConfigureAwait(false) is { } line)
        {
            if (JsonSerializer.Deserialize<ClusterNews>(line) is { } news)
            {
                hear(news);
            }
        }

        await process.WaitForExitAsync(CancellationToken.None).ConfigureAwait(false);
        return process.ExitCode;
    }
}
