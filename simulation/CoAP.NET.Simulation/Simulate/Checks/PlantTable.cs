namespace CoAP.NET.Simulation.Simulate;

/// <summary>What <c>--plant each</c> does: plants every defect, each by itself, and tells by which seed it is found.</summary>
internal static class PlantTable
{
    /// <summary>The word for <c>--plant</c> that stands for every defect.</summary>
    public const string EachPlant = "each";

    /// <summary>Looks for all of them.</summary>
    /// <param name="plants">Their words, what is wrong, and by which check they have to be found.</param>
    /// <param name="seeds">How many seeds are tried.</param>
    /// <param name="findAsync">Looks for a seed that finds one by its check; null when none does.</param>
    /// <param name="cancellationToken">Ends it early.</param>
    public static async Task<CampaignReport> FindEachAsync(
        IEnumerable<(string Name, string Summary, string FoundBy)> plants, int seeds, Func<string, Task<ulong?>> findAsync,
        CancellationToken cancellationToken)
    {
        StringBuilder table = new("| `--plant` | defect | check | found with seed |\n|---|---|---|---|\n");
        List<string> failures = [];
        foreach ((string name, string summary, string foundBy) in plants.TakeWhile(_ => !cancellationToken.IsCancellationRequested))
        {
            ulong? seed = await findAsync(name);
            table.Append($"| {name} | {summary} | {foundBy} | {seed?.ToString() ?? "not found"} |\n");
            if (seed is null)
            {
                failures.Add($"The planted defect {name} was not found with {seeds} seeds.");
            }
        }

        return new CampaignReport(table.ToString(), failures);
    }
}
