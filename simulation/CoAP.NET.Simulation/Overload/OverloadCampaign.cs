namespace CoAP.NET.Simulation.Overload;

/// <summary>Whether a server that is asked for more than it can serve goes on serving what it can.</summary>
internal sealed class OverloadCampaign() : Campaign("overload", "0.5, 1, 2 and 10 times what a server can serve; --only busy|awaiting")
{
    private const int Observers = 1000;

    // So many wait behind /awaiting before the next one is refused: a quarter of a second of what it can do.
    private const int MaxAwaiting = 500;

    private static readonly TimeSpan s_default = TimeSpan.FromSeconds(50);

    public override async Task<CampaignReport> RunAsync(CampaignOptions options, TextWriter progress, CancellationToken cancellationToken)
    {
        StringBuilder text = new();
        List<string> failures = [];
        string[] paths = [.. new[] { "busy", "awaiting" }.Where(path => options.Only is null || options.Only == path)];

        // Besides the peaks there are the phases around them.
        double budget = (options.Budget ?? s_default).TotalSeconds / paths.Length;
        double peak = Math.Max(2, (budget - 14) / OverloadRun.Peaks.Length);
        foreach (string path in paths)
        {
            int served = path == "busy" ? new CoapLimits().Requests.MaxServed : MaxAwaiting;
            using AskedProcess server = new(SimulationProcess.Start([OverloadServer.Verb, "--max", $"{served}"], Processor.Server));
            IPEndPoint endpoint = IPEndPoint.Parse(server.WaitFor(OverloadServer.Listening));
            OverloadResult result = await OverloadRun.RunAsync(endpoint, path, peak, Observers, progress, cancellationToken,
                cpu: () => server.Figures.Cpu);
            text.AppendLine(Describe(result));
            failures.AddRange(OverloadChecks.Of(result));
        }

        return new CampaignReport(text.ToString(), failures);
    }

    private static string Describe(OverloadResult result)
    {
        StringBuilder text = new();
        string what = result.Path == "busy"
            ? $"A handler that takes {OverloadServer.Cost.TotalMilliseconds} ms of a processor"
            : $"A handler that awaits a resource with ten places of 4 ms, Requests.MaxServed {MaxAwaiting}";
        text.AppendLine($"{what}: {result.Capacity:N0} requests a second, which take {result.CapacityProcessor:F2} of a "
                + $"processor. {result.Observers:N0} observers of a state that changes each second, an upload and a download in blocks of "
                + $"64 B with pauses of 25 ms.").AppendLine();
        text.AppendLine(
            "| load | offered, 1/s | answered, 1/s | of capacity | processor | 5.03 | without any answer | p50, ms | p99, ms | told of a "
                + "change within 1 s | p99, ms | transfers | back as before after, s |");
        text.AppendLine("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
        for (int i = 0; i < result.Phases.Count; i++)
        {
            LoadPhase phase = result.Phases[i];
            bool isPeak = phase.Name[0] is >= '0' and <= '9';
            string recovery = isPeak
                ? result.RecoveryOf(result.Phases[i + 1], result.Phases[0])?.ToString("F1") ?? "not at all"
                : "";
            (double told, double time) = OverloadChecks.ToldWithinASecond(result, phase);
            PacedTransfers.Transfer[] transfers = [.. result.TransfersIn(phase)];
            text.AppendLine(
                $"| {phase.Name} | {phase.Rate:N0} | {phase.Goodput:N0} | {phase.Goodput / result.Capacity:F2} | {phase.Processor:F2} "
                    + $"| {100.0 * phase.Refused / Math.Max(1, phase.Sent):F1} % | {100.0 * phase.Lost / Math.Max(1, phase.Sent):F1} % "
                    + $"| {phase.Times.Microseconds(0.5) / 1000:F1} | {phase.Times.Microseconds(0.99) / 1000:F1} | {100 * told:F1} % "
                    + $"| {time:F0} | {transfers.Count(transfer => transfer.Error is null)} of {transfers.Length} | {recovery} |");
        }

        text.AppendLine()
            .AppendLine(
                $"5.03 without Max-Age: {result.RefusedWithoutMaxAge}. Observers with the last state at the end: {result.UpToDate:N0}. "
                    + $"Counters of the server: {result.Counters.ReplaceLineEndings(", ").TrimEnd(',', ' ')}.");
        return text.ToString();
    }
}
