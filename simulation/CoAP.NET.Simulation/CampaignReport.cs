namespace CoAP.NET.Simulation;

/// <summary>What a campaign found.</summary>
/// <param name="Body">Markdown: figures and tables, as they stand in docs/reliability.md below the campaign's heading.</param>
/// <param name="Failures">What was not as it has to be, each with how to see it again; empty when all was well.</param>
internal sealed record CampaignReport(string Body, IReadOnlyList<string> Failures);
