namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>Runs scenarios with one fault each, and writes a table of what devices noticed.</summary>
internal static class ClusterFaultTable
{
    /// <summary>The word for <c>--only</c>.</summary>
    public const string Word = "cluster-faults";

    private const int DefaultSeeds = 20;
    private const int Nodes = 3;
    private const int Devices = 3;
    private const int StepsAfter = 25;
    private const int Long = 10_000;
    private const int Hour = 3_600_000;
    private const int Lag = 5000;

    private static readonly (string Words, ClusterStepKind Kind, int Time)[] s_rows =
    [
        ("none", ClusterStepKind.Wait, 0),
        ("a process dies", ClusterStepKind.Kill, 0),
        ("a machine vanishes", ClusterStepKind.Vanish, 0),
        ("a node hands over and stops", ClusterStepKind.Leave, 0),
        ("a process is suspended for 5 s", ClusterStepKind.Sleep, 5000),
        ("a process is suspended for 30 s", ClusterStepKind.Sleep, 30_000),
        ("a process is suspended for 90 s", ClusterStepKind.Sleep, 90_000),
        ("a process is suspended for 30 s, and one with its address started", ClusterStepKind.Twin, 30_000),
        ("a process dies; every second one is of the version before", ClusterStepKind.Kill, 1),
        ("two nodes do not hear each other for 10 s", ClusterStepKind.CutLink, Long),
        ("one node does not hear another for 10 s", ClusterStepKind.CutOneWay, Long),
        ("a node hears no other for 10 s", ClusterStepKind.Deafen, Long),
        ("calls between nodes are doubled and reordered for 10 s", ClusterStepKind.Disturb, Long),
        ("a node does not reach the store for 10 s", ClusterStepKind.CutStore, Long),
        ("the store is away for 60 s", ClusterStepKind.StoreAway, 60_000),
        ("answers of the store are lost for 10 s", ClusterStepKind.LoseAnswers, Long),
        ("the store takes seconds for each call for 10 s", ClusterStepKind.StoreSlow, Long),
        ("the store is full for 10 s", ClusterStepKind.StoreFull, Long),
        ("the store is read-only for 10 s", ClusterStepKind.StoreReadOnly, Long),
        ("the store applies batches in part for 10 s", ClusterStepKind.StoreTorn, Long),
        ("the store applies each batch twice for 10 s", ClusterStepKind.StoreDoubled, Long),
        ("news of the store is 5 s late for 10 s", ClusterStepKind.StoreLag, Long),
        ("a replica without the last 5 s takes over", ClusterStepKind.Promote, Lag),
        ("the same, and a process dies", ClusterStepKind.GoBack, Lag),
        ("a clock jumps forward by an hour", ClusterStepKind.ClockJump, Hour),
        ("a clock jumps back by an hour", ClusterStepKind.ClockJump, -Hour),
        ("the clocks of two nodes are 5 s apart", ClusterStepKind.ClockJump, 5000),
    ];

    /// <summary>What <c>simulate --only cluster-faults</c> does.</summary>
    /// <param name="options">Their <see cref="CampaignOptions.Seeds"/> are the runs of each fault.</param>
    /// <param name="progress">Is told of failures at once.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public static async Task<CampaignReport> RunAsync(
        CampaignOptions options, TextWriter progress, CancellationToken cancellationToken)
    {
        int seeds = options.Seeds ?? DefaultSeeds;
        IEnumerable<ClusterScenario> scenarios = s_rows.SelectMany(row =>
            Enumerable.Range(0, seeds).Select(i => Make(options.Seed + (ulong)i, row.Kind, row.Time)));
        string file = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        await File.WriteAllTextAsync(file, string.Join('\n', scenarios), cancellationToken);
        try
        {
            ClusterTally[] rows = [.. s_rows.Select(_ => new ClusterTally())];
            CampaignReport report = await ClusterRuns.RunSeedsAsync(
                options with { Seeds = null, Plant = null }, file, progress, cancellationToken,
                (index, tally) => rows[index / seeds] += tally);
            StringBuilder table = new("| fault | runs | POSTs lost | POSTs run twice | numbers used twice | observers that missed the last "
                + "state | longest wait for an answer |\n|---|---|---|---|---|---|---|\n");
            foreach (((string words, _, _), ClusterTally row) in s_rows.Zip(rows))
            {
                table.Append($"| {words} | {row.Seeds} | {row.Lost} | {row.Repeated} | {row.NumbersReused} | {row.Missed} | "
                    + $"{row.LongestWait / 1000.0:0.0} s |\n");
            }

            return report with { Body = $"{table}\n{report.Body}" };
        }
        finally
        {
            File.Delete(file);
        }
    }

    // Each device observes and sends a POST; the fault begins; and devices send POSTs and read every second. No datagram is lost.
    private static ClusterScenario Make(ulong seed, ClusterStepKind fault, int time)
    {
        Dice dice = new(seed);
        ClusterPlan plan = new()
        {
            Seed = seed,
            Nodes = Nodes,
            Devices = Devices,
            Balancer = dice.Pick(BalancerKind.Sticky, BalancerKind.Spray, BalancerKind.Lag),
            Mixed = fault == ClusterStepKind.Kill ? time : 0,
        };
        List<ClusterStep> steps = [];
        for (int i = 0; i < Devices; i++)
        {
            Add(ClusterStepKind.Observe, i, 100);
            Add(ClusterStepKind.Count, i, 100);
            Add(ClusterStepKind.Oscore, i, 100);
        }

        Add(ClusterStepKind.Wait, 0, Lag * 2);
        steps.Add(new ClusterStep { Kind = fault, Time = fault == ClusterStepKind.Kill ? 0 : time, Node = dice.Between(0, Nodes) });
        for (int i = 0; i < StepsAfter; i++)
        {
            ClusterStepKind kind = dice.Pick(
                ClusterStepKind.Count, ClusterStepKind.Count, ClusterStepKind.Read, ClusterStepKind.Change, ClusterStepKind.Oscore);
            Add(kind, dice.Between(0, Devices), dice.Between(100, 2000));
        }

        // No fault is ended early.
        Add(ClusterStepKind.Wait, 0, fault == ClusterStepKind.ClockJump ? 0 : time);
        return new ClusterScenario(plan, steps);

        void Add(ClusterStepKind kind, int device, int pause) => steps.Add(new ClusterStep
        {
            Kind = kind,
            Id = steps.Count + 1,
            Device = device,
            Node = dice.Between(0, Nodes),
            Resource = device % ClusterWorld.Resources,
            Pause = pause,
        });
    }
}
