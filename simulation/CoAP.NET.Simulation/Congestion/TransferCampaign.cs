using CoAP.NET.QBlock;

namespace CoAP.NET.Simulation.Congestion;

/// <summary>How long large bodies take on bad paths, and how many datagrams: the tables of docs/congestion.md.</summary>
internal sealed class TransferCampaign() : Campaign("transfers", "large bodies on paths that lose and queue (docs/congestion.md)")
{
    private const int DefaultSeeds = 3;

    public override async Task<CampaignReport> RunAsync(CampaignOptions options, TextWriter progress, CancellationToken cancellationToken)
    {
        StringBuilder text = new();
        foreach (IGrouping<string, TransferScenario> table in TransferScenario.All.GroupBy(scenario => scenario.Table))
        {
            text.AppendLine($"### {table.Key}").AppendLine();
            text.AppendLine($"| | {string.Join(" | ", TransferWay.All.Select(way => way.Name))} |");
            text.AppendLine($"|---|{string.Concat(TransferWay.All.Select(_ => "---|"))}");
            foreach (TransferScenario scenario in table.Where(one =>
                options.Only is not { } only || $"{one.Table}: {one.Name}".Contains(only)))
            {
                text.Append($"| {scenario.Name} |");
                foreach (TransferWay way in TransferWay.All)
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    progress.WriteLine($"{table.Key}: {scenario.Name}, {way.Name}");
                    text.Append($" {await CellAsync(scenario, way, options.Seeds ?? DefaultSeeds)} |");
                }

                text.AppendLine();
            }

            text.AppendLine();
        }

        return new CampaignReport(text.ToString(), []);
    }

    private static async Task<string> CellAsync(TransferScenario scenario, TransferWay way, int seeds)
    {
        List<TransferResult> results = [];
        for (int seed = 1; seed <= seeds; seed++)
        {
            results.Add(await TransferRun.RunAsync(scenario, way, seed));
        }

        // A transfer that is given up early would make the time of the others look short.
        double failed = results.Average(result => result.Failed);
        List<TransferResult> whole = scenario.Clients == 1 && results.Exists(result => result.Failed == 0)
            ? results.FindAll(result => result.Failed == 0) : results;
        double seconds = whole.Average(result => result.Time.TotalSeconds);
        double datagrams = whole.Average(result => result.Datagrams);
        string spurious = scenario.Clients == 1 ? ""
            : way.QBlock != CoapQBlockPolicy.Off ? " / –"
            : $" / {results.Average(result => result.Spurious):0}";
        return $"{seconds:N0} / {datagrams:N0}{spurious}{(failed > 0 ? $" / {failed:0.#} failed" : "")}";
    }
}
