using System.Globalization;
using System.Text;
using CoAP.NET.QBlock;

namespace CoAP.NET.Simulation.Congestion;

/// <summary>How long large bodies take on bad paths, and how many datagrams: the tables of docs/congestion.md.</summary>
internal sealed class TransferCampaign : Campaign
{
    private const int DefaultSeeds = 3;

    public override string Name => "transfers";

    public override string Summary => "large bodies on paths that lose and queue (docs/congestion.md)";

    public override async Task<CampaignReport> RunAsync(CampaignOptions options, TextWriter progress, CancellationToken cancellationToken)
    {
        StringBuilder text = new();
        foreach (IGrouping<string, TransferScenario> table in TransferScenario.All.GroupBy(static scenario => scenario.Table))
        {
            text.AppendLine(CultureInfo.InvariantCulture, $"### {table.Key}").AppendLine();
            text.AppendLine(CultureInfo.InvariantCulture, $"| | {string.Join(" | ", TransferWay.All.Select(static way => way.Name))} |");
            text.AppendLine(CultureInfo.InvariantCulture, $"|---|{string.Concat(TransferWay.All.Select(static _ => "---|"))}");
            foreach (TransferScenario scenario in table.Where(one =>
                options.Only is not { } only || $"{one.Table}: {one.Name}".Contains(only, StringComparison.Ordinal)))
            {
                text.Append(CultureInfo.InvariantCulture, $"| {scenario.Name} |");
                foreach (TransferWay way in TransferWay.All)
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    progress.WriteLine($"{table.Key}: {scenario.Name}, {way.Name}");
                    text.Append(CultureInfo.InvariantCulture,
                        $" {await CellAsync(scenario, way, options.Seeds ?? DefaultSeeds).ConfigureAwait(false)} |");
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
            results.Add(await TransferRun.RunAsync(scenario, way, seed).ConfigureAwait(false));
        }

        // A transfer that is given up early would make the time of the others look short.
        double failed = results.Average(static result => result.Failed);
        List<TransferResult> whole = scenario.Clients == 1 && results.Exists(static result => result.Failed == 0)
            ? results.FindAll(static result => result.Failed == 0) : results;
        double seconds = whole.Average(static result => result.Time.TotalSeconds);
        double datagrams = whole.Average(static result => result.Datagrams);
        string spurious = scenario.Clients == 1 ? ""
            : way.QBlock != CoapQBlock.Off ? " / –"
            : string.Create(CultureInfo.InvariantCulture, $" / {results.Average(static result => result.Spurious):0}");
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{seconds:N0} / {datagrams:N0}{spurious}{(failed > 0 ? $" / {failed:0.#} failed" : "")}");
    }
}
