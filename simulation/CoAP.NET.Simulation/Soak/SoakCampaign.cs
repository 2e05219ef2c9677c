using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Soak;

/// <summary>Whether anything grows, is lost or goes wrong under a mixed load with losses that goes on for long.</summary>
internal sealed class SoakCampaign() : Campaign("soak", "mixed load with 10 % loss; --plant " + string.Join('|', Plants))
{
    /// <summary>The defects that can be planted.</summary>
    public static readonly string[] Plants = ["leak", "lost", "unobserved", "handle", "log"];

    private static readonly TimeSpan s_default = TimeSpan.FromSeconds(40);

    public override async Task<CampaignReport> RunAsync(CampaignOptions options, TextWriter progress, CancellationToken cancellationToken)
    {
        if (options.Plant is { } plant && !Plants.Contains(plant))
        {
            throw new ArgumentException($"'{plant}' cannot be planted: {string.Join(", ", Plants)}.");
        }

        SoakSettings settings = SoakSettings.For(options.Budget ?? s_default) with
        {
            Seed = options.Seed,
            Plant = options.Plant is null ? [] : [options.Plant]
        };
        SoakResult result = await SoakRun.RunAsync(settings, progress, cancellationToken);
        return new CampaignReport(Describe(result), SoakChecks.Of(result));
    }

    private static string Describe(SoakResult result)
    {
        SoakSettings settings = result.Settings;
        SoakLedger ledger = result.Ledger;
        StringBuilder text = new();
        text.AppendLine($"{result.Elapsed:hh\\:mm\\:ss}, {ledger.Begun:N0} operations, {settings.DatagramClients} clients over UDP "
                + $"and {settings.StreamClients} over TCP at a time, {result.Newcomers} replaced, {result.Cuts} connections "
                + $"cut, {result.DatagramsLost:N0} of {result.DatagramsLost + result.DatagramsPassed:N0} datagrams lost "
                + $"({100.0 * result.DatagramsLost / Math.Max(1, result.DatagramsLost + result.DatagramsPassed):F1} "
                + $"%), {result.Changes:N0} state changes.").AppendLine();
        string[] ends = [.. ledger.Ends.Keys.Select(end => end.End).Distinct().Order(StringComparer.Ordinal)];
        text.AppendLine($"| operation | begun | {string.Join(" | ", ends)} | never ended |");
        text.AppendLine($"|---|---|{string.Concat(ends.Select(_ => "---|"))}---|");
        foreach (SoakKind kind in Enum.GetValues<SoakKind>())
        {
            long left = ledger.BegunOf(kind) - ends.Sum(end => ledger.Ends.GetValueOrDefault((kind, end)));
            text.AppendLine($"| {kind} | {ledger.BegunOf(kind):N0} "
                    + $"| {string.Join(" | ", ends.Select(end => ledger.Ends.GetValueOrDefault((kind, end)).ToString("N0")))} | {left:N0} |");
        }

        (long confirmable, double explained) = SoakChecks.ConfirmableTimeouts(result);
        (long non, double nonExplained) = SoakChecks.NonTimeouts(result);
        text.AppendLine()
            .AppendLine(
                $"Time-outs of Confirmable requests: {confirmable:N0}; losses explain {explained:F1} (all five copies or what answers them "
                    + $"lost: {SoakChecks.GivenUp(settings):E1}). Of Non-confirmable ones: {non:N0}; losses explain {nonExplained:N0}.")
            .AppendLine();
        Table(result, text);
        IReadOnlyList<SoakSample> steady = result.Steady;
        text.AppendLine()
            .AppendLine($"Slopes after {settings.WarmUp:hh\\:mm\\:ss}, when all tables are full: "
                    + $"heap {SoakChecks.SlopePerHour(steady, sample => sample.Heap) / (1 << 20):F2} MiB an hour, memory of the "
                    + $"process {SoakChecks.SlopePerHour(steady, sample => sample.Resident) / (1 << 20):F2} MiB an hour, "
                    + $"descriptors {SoakChecks.SlopePerHour(steady, sample => sample.Handles):F1} and "
                    + $"threads {SoakChecks.SlopePerHour(steady, sample => sample.Threads):F1} an hour. After everything was "
                    + $"stopped: {result.Kept.Count} endpoints left "
                    + $"of {result.Newcomers + settings.DatagramClients + settings.StreamClients + 1}, descriptors {result.Handles.After} "
                    + $"({result.Handles.Before} before), heap {Mebibytes(result.Heap.After)} MiB ({Mebibytes(result.Heap.Before)} before).").AppendLine();
        text.AppendLine($"Unobserved exceptions: {result.Unobserved.Count}. Errors logged: {result.Log.ErrorCount}; "
                + $"warnings: {result.Log.CountOf(LogLevel.Warning)}. Wrong answers, states that went backwards or other "
                + $"ends: {ledger.WrongCount}. POSTs that ran again: {result.Repeated}. Observations without the last "
                + $"state: {result.Outdated.Count}. Exceptions "
                + $"thrown: {string.Join(", ", result.Thrown.OrderByDescending(thrown => thrown.Value).Select(thrown =>
                    $"{thrown.Key} {thrown.Value:N0}"))}.");
        return text.ToString();
    }

    private static void Table(SoakResult result, StringBuilder text)
    {
        text.AppendLine(
            "| at | heap, MiB | process, MiB | descriptors | threads | under way | endpoints | peers | connections | observers | answers "
                + "kept, MiB |").AppendLine("|---|---|---|---|---|---|---|---|---|---|---|");
        List<SoakSample> samples = result.Samples;
        foreach (int index in new[] { 0, samples.Count / 4, samples.Count / 2, Math.Max(0, samples.Count - 2), samples.Count - 1 }
            .Where(index => index >= 0).Distinct())
        {
            SoakSample sample = samples[index];
            string at = index == samples.Count - 1 ? "end, without load" : sample.At.ToString("hh\\:mm\\:ss");
            text.AppendLine(
                $"| {at} | {Mebibytes(sample.Heap)} | {Mebibytes(sample.Resident)} | {sample.Handles} | {sample.Threads} | {sample.Open} "
                    + $"| {sample.Endpoints} | {sample.Peers} | {sample.Connections} | {sample.Observers} "
                    + $"| {Mebibytes(sample.RepliesKept)} |");
        }
    }

    private static string Mebibytes(long bytes) => (bytes / (double)(1 << 20)).ToString("F1");
}
