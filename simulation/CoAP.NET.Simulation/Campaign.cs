namespace CoAP.NET.Simulation;

/// <summary>
/// One way of trying whether the library falls over: a section of docs/campaigns.md, a command, and short runs of it as tests.
/// </summary>
internal abstract class Campaign(string name, string summary)
{
    /// <summary>All of them, in the order of docs/campaigns.md.</summary>
    public static IReadOnlyList<Campaign> All { get; } =
    [
        new Simulate.SimulateCampaign(),
        new Fuzz.FuzzCampaign(),
        new Attack.AttackCampaign(),
        new LimitFill.LimitFillCampaign(),
        new Faults.FaultCampaign(),
        new Hogs.HogCampaign(),
        new Overload.OverloadCampaign(),
        new Machine.MachineCampaign(),
        new Soak.SoakCampaign(),
        new Congestion.CongestionCampaign(),
        new Congestion.TransferCampaign(),
    ];

    /// <summary>Its word on the command line.</summary>
    public string Name => name;

    /// <summary>What it tries, in one sentence.</summary>
    public string Summary => summary;

    /// <summary>Runs it.</summary>
    /// <param name="options">How long, and from which seed.</param>
    /// <param name="progress">Takes lines that tell how far it is.</param>
    /// <param name="cancellationToken">Ends it early; what was found until then is reported.</param>
    /// <returns>What it found.</returns>
    public abstract Task<CampaignReport> RunAsync(CampaignOptions options, TextWriter progress, CancellationToken cancellationToken);
}

/// <summary>What a campaign found.</summary>
/// <param name="Body">Markdown: figures and tables.</param>
/// <param name="Failures">What was not as it has to be, each with how to see it again; empty when all was well.</param>
internal sealed record CampaignReport(string Body, IReadOnlyList<string> Failures);
