namespace CoAP.NET.Simulation.Congestion;

/// <summary>How the timings of retransmission do on bad paths: the tables of docs/congestion.md.</summary>
internal sealed class CongestionCampaign() : Campaign(
    "congestion",
    "retransmission timings on paths that lose and queue (docs/congestion.md)")
{
    private const int DefaultSeeds = 5;

    public override Task<CampaignReport> RunAsync(CampaignOptions options, TextWriter progress, CancellationToken cancellationToken)
    {
        StringBuilder text = new();
        foreach (IGrouping<string, CongestionScenario> table in CongestionScenario.All.GroupBy(scenario => scenario.Table))
        {
            cancellationToken.ThrowIfCancellationRequested();
            progress.WriteLine(table.Key);
            text.AppendLine(CongestionReport.Make(table.Key, [.. table], options.Seeds ?? DefaultSeeds));
        }

        return Task.FromResult(new CampaignReport(text.ToString(), []));
    }
}
