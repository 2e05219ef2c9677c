namespace CoAP.NET.Simulation.Fuzz;

/// <summary>The table of the campaign's report.</summary>
internal static class FuzzReport
{
    public static string Make(IReadOnlyList<FuzzRow> rows, int workers, ulong seed, TimeSpan took)
    {
        StringBuilder text = new();
        CultureInfo culture = CultureInfo.InvariantCulture;
        long executions = rows.Sum(row => row.Executions);
        string branches = rows.Select(row => row.AllBlocks).DefaultIfEmpty().Max().ToString("N0", culture);
        text.Append(culture,
            $"{executions:N0} executions by {workers} workers (seeds {seed} to {seed + (ulong)workers - 1}) in {took.TotalMinutes:N1} "
                + $"minutes, {executions / Math.Max(took.TotalSeconds, 0.001):N0}/s; ");
        text.Append(culture, $"{branches} branches of the library reached; {rows.Sum(row => row.Findings.Count)} failures.\n\n");
        text.Append("| target | what | executions | per second and core | kinds of behaviour | corpus | failures "
            + "|\n|---|---|---|---|---|---|---|\n");
        foreach (IGrouping<string, FuzzRow> group in rows.GroupBy(row => row.Target))
        {
            long sum = group.Sum(row => row.Executions);
            text.Append(culture,
                $"| {group.Key} | {group.First().Summary} | {sum:N0} | {sum / Math.Max(group.Sum(row => row.Seconds), 0.001):N0} "
                    + $"| {group.Max(row => row.Features):N0} | ");
            text.Append(culture, $"{group.Max(row => row.Corpus):N0} | {group.Sum(row => row.Findings.Count)} |\n");
        }

        return text.ToString();
    }
}
