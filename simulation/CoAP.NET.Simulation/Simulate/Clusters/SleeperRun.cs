using System.Diagnostics;
using System.Text.Json;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>
/// Very many devices with sessions that sleep while one of three nodes dies. Each sends something afterwards, and none needs a handshake.
/// It runs in a process with one thread (<see cref="AloneDrive"/>).
/// </summary>
internal static class SleeperRun
{
    /// <summary>The word for <c>--only</c>, and the first word of the process.</summary>
    public const string Word = "sleepers";

    private const int DefaultDevices = 3_000;
    private const int Nodes = 3;

    // So many devices speak at the same time.
    private const int AtOnce = 100;

    // A handshake and two requests take some twenty.
    private const long MaxStepsPerDevice = 100;
    private static readonly TimeSpan s_start = TimeSpan.FromMinutes(2);
    private static readonly TimeSpan s_asleep = TimeSpan.FromHours(1);
    private static readonly TimeSpan s_takeOver = TimeSpan.FromSeconds(30);

    /// <summary>What <c>simulate --only sleepers</c> does.</summary>
    /// <param name="options">Their <see cref="CampaignOptions.Executions"/> are the number of devices, and
    /// <see cref="CampaignOptions.Plant"/> is one of <see cref="ClusterPlants"/>.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public static async Task<CampaignReport> RunAsync(CampaignOptions options, CancellationToken cancellationToken)
    {
        long devices = options.Executions ?? DefaultDevices;
        Watch started = new();
        ProcessStartInfo start = SimulationProcess.StartInfo(
            [Word, devices.ToString(), options.Plant ?? ""]);
        start.Environment[AloneDrive.Variable] = "1";
        using Process process = Process.Start(start)!;
        using CancellationTokenRegistration stop = cancellationToken.Register(process.Kill);
        string[] failures = ["The process ended and reported nothing."];
        while (await process.StandardOutput.ReadLineAsync(CancellationToken.None) is { } line)
        {
            failures = JsonSerializer.Deserialize<string[]>(line) ?? failures;
        }

        await process.WaitForExitAsync(CancellationToken.None);
        return new CampaignReport($"{devices:N0} sleeping devices on {Nodes} nodes, one of which died: {failures.Length:N0} failures, in "
            + $"{started.Elapsed.TotalSeconds:0.0} s.\n", failures);
    }

    /// <summary>What the process does.</summary>
    /// <param name="words">The number of devices, and a planted defect; empty for none.</param>
    /// <returns>The code that it exits with.</returns>
    public static async Task<int> ServeAsync(string[] words)
    {
        if (!AloneDrive.TryBeAlone())
        {
            await Console.Error.WriteLineAsync($"This is for processes with {AloneDrive.Variable}=1.");
            return 2;
        }

        ClusterWorld world = new(
            new ClusterPlan { Nodes = Nodes, Devices = int.Parse(words[0]) },
            words[1].Length > 0 ? words[1] : null);
        IReadOnlyList<string> failures = await FindFailuresAsync(world);
        Console.WriteLine(JsonSerializer.Serialize(failures));
        return failures.Count == 0 ? 0 : 1;
    }

    private static async Task<IReadOnlyList<string>> FindFailuresAsync(ClusterWorld world)
    {
        world.Drive.MaxSteps += world.Devices.Count * MaxStepsPerDevice;
        for (int place = 0; place < Nodes; place++)
        {
            world.Start(place);
        }

        await world.Drive.UntilAsync(world.AreShared, s_start);
        List<string> failures = [.. await AskAllAsync(world, startsThem: true)];
        SimulatedClusterNode[] nodes = [.. world.Nodes];
        SimulatedClusterNode dead = nodes[0];
        if (dead.Server.Endpoint.ConnectedPeers.Count < world.Devices.Count / Nodes / 2)
        {
            failures.Add($"{dead} has few of the sessions: {dead.Server.Endpoint.ConnectedPeers.Count}.");
        }

        await world.Drive.UntilAsync(() => false, s_asleep);
        world.Kill(dead, isMachine: false);
        await world.Drive.UntilAsync(() => false, s_takeOver);
        failures.AddRange(await AskAllAsync(world, startsThem: false));
        failures.AddRange(world.Devices.Where(device => device.Sessions != 1)
            .Select(device => $"{device} shook hands {device.Sessions} times."));
        failures.AddRange(world.Journal.Violations.Select(violation => $"{violation}"));
        return failures;
    }

    private static async Task<List<string>> AskAllAsync(ClusterWorld world, bool startsThem)
    {
        List<string> failures = [];
        foreach (SimulatedDevice[] some in world.Devices.Chunk(AtOnce))
        {
            if (startsThem)
            {
                await Task.WhenAll(some.Select(device => device.StartAsync()));
            }

            Task<bool>[] asked = [.. some.Select(world.Requests.AskAsync)];
            await world.Drive.UntilAsync(() => asked.All(one => one.IsCompleted), s_start);
            failures.AddRange(some.Where((_, i) => asked[i] is not { IsCompletedSuccessfully: true, Result: true })
                .Select(device => $"{device} was not answered."));
        }

        return failures;
    }
}
