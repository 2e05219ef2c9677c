namespace CoAP.NET.Simulation.Hogs;

/// <summary>A hundred clients of handlers that take the processor, beside a hundred of cheap ones.</summary>
internal sealed class HogCampaign() : Campaign("hogs", "a hundred clients of CPU-hungry handlers beside a hundred of cheap ones")
{
    private const double LeastRatio = 0.2;
    private const double LongestPercentile99 = 100;

    // A case takes about so long: alone, together, until the last hog is through.
    private static readonly TimeSpan s_round = TimeSpan.FromSeconds(9);

    public override async Task<CampaignReport> RunAsync(CampaignOptions options, TextWriter progress, CancellationToken cancellationToken)
    {
        HogCase[] cases = [.. HogCase.All.Where(one => options.Only is null || one.Name.Contains(options.Only))];
        if (cases.Length == 0 || options.Plant is not (null or "unbounded"))
        {
            return new CampaignReport("",
                [$"there is no such case or plant; cases: {string.Join("; ", HogCase.All.Select(one => one.Name))}; plants: "
                    + "unbounded"]);
        }

        int rounds = Math.Max(1, (int)((options.Budget ?? TimeSpan.Zero) / s_round / cases.Length));
        List<string> failures = [];
        StringBuilder text = new();
        text.AppendLine(
            "| the hogs' handlers | cheap alone, /s | beside hogs, /s | ratio | p50, ms | p99, ms | worst, ms | hogs, /s | their p99, ms | "
                + "wrong |");
        text.AppendLine("|---|---|---|---|---|---|---|---|---|---|");
        foreach (HogCase one in cases)
        {
            progress.WriteLine(one.Name);
            HogResult result = await HogRun.RunAsync(one, rounds, options.Seed, trusts: options.Plant is not null, cancellationToken);
            string line = $"| {one.Name} | {result.Alone / result.AloneSeconds:n0} | {result.Together / result.TogetherSeconds:n0} "
                    + $"| {result.Ratio:0.00} | {result.Median:0.0} | {result.Percentile99:0.0} | {result.Worst:0} "
                    + $"| {result.Hogs / result.TogetherSeconds:0.0} | {result.HogPercentile99:0} | {result.Wrong.Count} |";
            progress.WriteLine(line);
            text.AppendLine(line);
            failures.AddRange(result.Wrong.Select(wrong => $"{one.Name}: {wrong}"));
            if (result.Ratio < LeastRatio)
            {
                failures.Add($"{one.Name}: the cheap ones keep {result.Ratio:0.00} of their rate; at least {LeastRatio} are asked");
            }

            if (result.Percentile99 > LongestPercentile99)
            {
                failures.Add(
                    $"{one.Name}: the p99 of the cheap ones is {result.Percentile99:0} ms; at most {LongestPercentile99} are asked");
            }
        }

        return new CampaignReport(text.ToString(), failures);
    }
}
