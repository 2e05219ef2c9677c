namespace CoAP.NET.Simulation.Machine;

/// <summary>What becomes of an endpoint when the machine is at fault: each fault is made in a process of its own.</summary>
internal sealed class MachineCampaign() : Campaign(
    "machine",
    "faults of the machine: no descriptors, no buffers, interfaces gone, a blocked thread pool, ...")
{
    private const int AtOnce = 3;

    public override async Task<CampaignReport> RunAsync(CampaignOptions options, TextWriter progress, CancellationToken cancellationToken)
    {
        List<string> failures = [];
        StringBuilder table = new();
        table.AppendLine("| fault | what was done | what happened | counted | recovery |").AppendLine("|---|---|---|---|---|");
        int ran = 0;
        using SemaphoreSlim places = new(AtOnce);
        (MachineCase Case,
            Task<MachineFindings> Findings)[] runs = [.. MachineCase.All.Where(one => options.Only is null || one.Name == options.Only)
                .Select(one => (one, RunAsync(one, places, progress, cancellationToken)))];
        foreach ((MachineCase one, Task<MachineFindings> run) in runs)
        {
            MachineFindings findings = await run;
            foreach (string failure in findings.Failures)
            {
                failures.Add($"{one.Name}: {failure} (again: machine --only {one.Name})");
            }

            ran += findings.Skipped is null ? 1 : 0;
            string happened = findings.Skipped is { } reason
                ? $"did not run here: {reason}"
                : Join([.. findings.Happened, .. findings.Failures.Select(failure => $"**{First(failure)}**")]);
            string recovery = findings.RecoveryMs is { } time ? $"{time:N0} ms" : "";
            table.AppendLine($"| {one.Fault} (`{one.Name}`) | {one.Did} | {happened} | {Join(findings.Counted)} | {recovery} |");
        }

        if (ran == 0 && options.Only is { } only && MachineCase.All.All(one => one.Name != only))
        {
            failures.Add($"there is no fault '{only}'; there are {string.Join(", ", MachineCase.All.Select(one => one.Name))}");
        }

        string head = $"{ran} faults, each in a process of its own; {failures.Count} failures.\n\n";
        return new CampaignReport(head + table, failures);
    }

    // They mostly wait, so some run at a time.
    private static async Task<MachineFindings> RunAsync(MachineCase one, SemaphoreSlim places, TextWriter progress,
        CancellationToken cancellationToken)
    {
        await places.WaitAsync(CancellationToken.None);
        try
        {
            if (cancellationToken.IsCancellationRequested)
            {
                return new MachineFindings { Skipped = "the campaign was ended before" };
            }

            await progress.WriteLineAsync(one.Name);
            return await MachineChild.StartAsync(one, cancellationToken);
        }
        finally
        {
            places.Release();
        }
    }

    private static string Join(IEnumerable<string> texts) => string.Join("; ", texts).Replace("|", "\\|");

    private static string First(string text) => text.Split('\n')[0].Trim();
}
