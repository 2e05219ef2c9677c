using System.Globalization;
using System.Text;

namespace CoAP.NET.Simulation.Machine;

/// <summary>What becomes of an endpoint when the machine is at fault: each fault is made in a process of its own.</summary>
internal sealed class MachineCampaign : Campaign
{
    public override string Name => "machine";

    public override string Summary => "faults of the machine: no descriptors, no buffers, interfaces gone, a blocked thread pool, ...";

    public override async Task<CampaignReport> RunAsync(CampaignOptions options, TextWriter progress, CancellationToken cancellationToken)
    {
        List<string> failures = [];
        StringBuilder table = new();
        table.AppendLine("| fault | what was done | what happened | counted | recovery |").AppendLine("|---|---|---|---|---|");
        int ran = 0;
        foreach (MachineCase one in MachineCase.All.Where(one => options.Only is null || one.Name == options.Only))
        {
            if (cancellationToken.IsCancellationRequested)
            {
                break;
            }

            progress.WriteLine(one.Name);
            MachineFindings findings = await MachineChild.StartAsync(one, cancellationToken);
            foreach (string failure in findings.Failures)
            {
                failures.Add($"{one.Name}: {failure} (again: machine --only {one.Name})");
            }

            ran += findings.Skipped is null ? 1 : 0;
            string happened = findings.Skipped is { } reason ? $"did not run here: {reason}" : Join([.. findings.Happened, .. findings.Failures.Select(static failure => $"**{First(failure)}**")]);
            string recovery = findings.RecoveryMs is { } time ? string.Create(CultureInfo.InvariantCulture, $"{time:N0} ms") : string.Empty;
            table.AppendLine(CultureInfo.InvariantCulture, $"| {one.Fault} (`{one.Name}`) | {one.Did} | {happened} | {Join(findings.Counted)} | {recovery} |");
        }

        if (ran == 0 && options.Only is { } only && MachineCase.All.All(one => one.Name != only))
        {
            failures.Add($"there is no fault '{only}'; there are {string.Join(", ", MachineCase.All.Select(static one => one.Name))}");
        }

        string head = string.Create(CultureInfo.InvariantCulture, $"{ran} faults, each in a process of its own; {failures.Count} failures.\n\n");
        return new CampaignReport(head + table, failures);
    }

    private static string Join(IEnumerable<string> texts) => string.Join("; ", texts).Replace("|", "\\|", StringComparison.Ordinal);

    private static string First(string text) => text.Split('\n')[0].Trim();
}
