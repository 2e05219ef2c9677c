namespace CoAP.NET.Simulation.Faults;

/// <summary>The places and what follows there, as the table of the campaign's report.</summary>
internal static class FaultTable
{
    /// <summary>Makes it.</summary>
    /// <param name="tallies">What was injected; none for the places alone.</param>
    public static string Make(IReadOnlyList<FaultTally> tallies)
    {
        StringBuilder text = new();
        text.AppendLine("| what throws | the one who is hit sees | counted as | logged as | faults |");
        text.AppendLine("|---|---|---|---|---|");
        foreach (IGrouping<string, UserCodeCall> group in UserCodeCalls.All.GroupBy(place => place.Name))
        {
            UserCodeCall first = group.First();
            string counters = string.Join(", ",
                group.Select(place => place.Counter is { } counter ? $"`{counter}`" : "").Distinct());
            string logs = string.Join(", ",
                group.Select(place => place.LogNote ?? (place.LogId == 0 ? "" : $"{place.LogId}")).Distinct());
            text.AppendLine(
                $"| {first.Name} | {first.Effect} | {counters}{(first.IsOfClient && first.Counter is not null ? " (client)" : "")} "
                    + $"| {logs} | {tallies.Sum(tally => tally.CountOf(first)):n0} |");
        }

        return text.ToString();
    }
}
