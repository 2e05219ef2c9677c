namespace CoAP.NET.Simulation.Attack;

/// <summary>The attack table of the checklist, row by row: each attack is done, measured, and held against its bound.</summary>
internal sealed class AttackCampaign() : Campaign(
    "attack",
    "the attack table: spoofed sources, amplification, guessing, floods, proxies (--executions 1000000: forged addresses; --only ROW, "
        + "--plant DEFECT)")
{
    /// <summary>The rows, in the order of the table.</summary>
    public static IReadOnlyList<AttackRow> Rows { get; } =
    [
        .. SpoofedSources.Rows, .. Amplification.Rows, .. Guessing.Rows, .. Spoofing.Rows,
        .. Fragments.Rows, .. Exhaustion.Rows, .. Caches.Rows, .. Oversized.Rows, .. Bombs.Rows, .. Floods.Rows, .. Proxies.Rows,
        .. ForgedKids.Rows, .. DirectoryFills.Rows, .. DirectoryTricks.Rows, .. TopicAttacks.Rows,
    ];

    /// <summary>Runs one row.</summary>
    /// <param name="row">The row.</param>
    /// <param name="isShort">Whether in the small form.</param>
    /// <param name="seed">Where chance begins.</param>
    /// <param name="plant">The planted defect; null for none.</param>
    /// <param name="tell">Takes lines that tell how far it is.</param>
    /// <param name="executions">How many addresses are forged; null for the default.</param>
    public static async Task<AttackRun> RunRowAsync(AttackRow row, bool isShort, ulong seed = 1, string? plant = null,
        Action<string>? tell = null, long? executions = null)
    {
        AttackRun run = new(row, isShort, seed, plant, tell ?? (_ => { })) { Executions = executions };
        await row.RunAsync(run);
        return run;
    }

    public override async Task<CampaignReport> RunAsync(CampaignOptions options, TextWriter progress, CancellationToken cancellationToken)
    {
        List<AttackRun> runs = [];
        List<string> failures = [];
        foreach (AttackRow row in Rows.Where(row => (options.Only is null || row.Name.StartsWith(options.Only, StringComparison.Ordinal))
            && (options.Plant is null || row.Plants.Contains(options.Plant))))
        {
            if (cancellationToken.IsCancellationRequested)
            {
                break;
            }

            Watch begin = new();
            AttackRun run = await RunRowAsync(row, isShort: false, options.Seed, options.Plant, options.Verbose ? progress.WriteLine : null,
                options.Executions);
            runs.Add(run);
            failures.AddRange(run.Failures);
            if (options.Verbose)
            {
                progress.WriteLine(
                    $"{row.Name}: {(run.Failures.Any() ? "FAILED" : "held")}, {begin.Elapsed.TotalSeconds:0.0} "
                        + "s");
            }
        }

        if (runs.Count == 0)
        {
            failures.Add("no row is called that; there are "
                + string.Join(", ", Rows.Select(row => row.Plants is [] ? row.Name : $"{row.Name} ({string.Join(", ", row.Plants)})")));
        }

        return new CampaignReport(AttackTable.Print(runs, options.Only is null && options.Plant is null), failures);
    }
}
