using CoAP.NET.Simulation.Attack;

namespace CoAP.NET.Simulation.LimitFill;

/// <summary>
/// Sources that fill each bound with the least bytes and hold it, while honest clients work: whether these are served, and what it takes of
/// memory.
/// </summary>
internal sealed class LimitFillCampaign() : Campaign(
    "limit-fill",
    "one and four sources hold each bound full while honest clients work over all transports (--only ROW)")
{
    private static readonly int[] s_sources = [1, 4];
    private static readonly TimeSpan s_default = TimeSpan.FromMinutes(3);

    public override async Task<CampaignReport> RunAsync(CampaignOptions options, TextWriter progress, CancellationToken cancellationToken)
    {
        LimitFillCase[] rows = [
            .. LimitFillCases.All.Where(row => options.Only is null || row.Name.StartsWith(options.Only, StringComparison.Ordinal))];
        AttackRow[] forged = [
            .. ForgedLimitFillers.Rows.Where(row => options.Only is null || row.Name.StartsWith(options.Only, StringComparison.Ordinal))];
        if (rows.Length + forged.Length == 0)
        {
            return new CampaignReport("",
                ["no row is called that; there are "
                    + string.Join(
                        ", ", LimitFillCases.All.Select(row => row.Name).Concat(ForgedLimitFillers.Rows.Select(row => row.Name)))]);
        }

        // Half of a run's time is for filling and measuring.
        TimeSpan each = (options.Budget ?? s_default) / Math.Max(1, 2 * rows.Length * s_sources.Length);
        List<LimitFillResult> results = [];
        foreach (LimitFillCase row in rows)
        {
            foreach (int sources in s_sources)
            {
                if (cancellationToken.IsCancellationRequested)
                {
                    break;
                }

                LimitFillResult result = await LimitFillRun.RunAsync(row, sources, each, cancellationToken);
                results.Add(result);
                if (options.Verbose)
                {
                    progress.WriteLine(LineOf(result));
                }
            }
        }

        List<AttackRun> runs = [];
        foreach (AttackRow row in forged.TakeWhile(_ => !cancellationToken.IsCancellationRequested))
        {
            runs.Add(await AttackCampaign.RunRowAsync(row, isShort: false, options.Seed,
                tell: options.Verbose ? progress.WriteLine : null));
        }

        string body = results.Count > 0 ? Print(results) + (runs.Count > 0 ? "\n" : "") : "";
        return new CampaignReport(
            runs.Count > 0 ? body + AttackTable.Print(runs, all: false) : body,
            [.. results.SelectMany(result => result.Failures), .. runs.SelectMany(run => run.Failures)]);
    }

    private static string Print(IEnumerable<LimitFillResult> results)
    {
        StringBuilder text = new();
        text.AppendLine(
            "| held | how (bounds that are lower than by default) | sources | they sent | honest requests served | the slowest took | heap "
                + "above idle | RSS above idle | the bound says | |");
        text.AppendLine("|---|---|---|---|---|---|---|---|---|---|");
        foreach (LimitFillResult result in results)
        {
            text.AppendLine(LineOf(result));
        }

        return text.ToString();
    }

    private static string LineOf(LimitFillResult result)
    {
        LimitFillCase row = result.Row;
        string scaled = row.Scaled.Length > 0 ? $" ({row.Scaled})" : "";
        string proof = row.Proof is { } counter ? $"`{counter}` {result.Proof:N0}; " : "";
        return
            $"| {row.Held} (`{row.Name}`) | {row.How}{scaled} | {result.Sources} | {result.Sent / 1024.0:N0} KiB | {result.Times.Served} "
                + $"of {result.Times.Asked} | {result.Times.Slowest.Time.TotalSeconds:0.00} s ({result.Times.Slowest.What}) "
                + $"| {result.Heap / LiveHeap.MiB:0.0} MiB | {result.Resident / LiveHeap.MiB:0.0} MiB | {row.MiB:0} MiB "
                + $"| {proof}{(result.Failures.Count == 0 ? "held" : "**not held**")} |";
    }
}

/// <summary>All rows over sockets, in the order of the table.</summary>
internal static class LimitFillCases
{
    public static IReadOnlyList<LimitFillCase> All { get; } =
        [.. StreamLimitFillers.Rows, .. RequestLimitFillers.Rows, .. DtlsLimitFillers.Rows];
}
