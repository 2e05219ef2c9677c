using CoAP.NET.Diagnostics;
using CoAP.NET.Errors;

namespace CoAP.NET.Simulation.Soak;

/// <summary>Says what a soak saw and must not have seen.</summary>
internal static class SoakChecks
{
    private const double Blocks = 5;
    private const long FreedSlack = 32L << 20;

    private static readonly HashSet<string> s_expectedKinds =
    [
        nameof(CoapTimeoutException), nameof(CoapConnectionException), nameof(CoapException), nameof(OperationCanceledException),
        nameof(TaskCanceledException),
        "SocketException", nameof(ObjectDisposedException), nameof(IOException),
    ];

    private static readonly HashSet<string> s_expectedEnds =
    [
        SoakLedger.Answered, SoakLedger.Closed, $"time-out, {CoapTimeoutReason.NotAcknowledged}",
        $"time-out, {CoapTimeoutReason.NoResponse}",
        $"connection, {CoapError.Lost}", $"connection, {CoapError.Closed}",
        $"connection, {CoapError.Aborted}",
    ];

    /// <summary>The part of messages with an acknowledgement that are given up: all copies were lost, or what answers them.</summary>
    public static double GivenUp(SoakSettings settings) =>
        Math.Pow(RoundTripLoss(settings), 1 + CoapTransmissionParameters.Default.MaxRetransmit);

    /// <summary>Messages of ours whose time ended, and how many of them losses explain.</summary>
    public static (long Count, double Expected) ConfirmableTimeouts(SoakResult result)
    {
        long count = result.Ledger.Ends.Where(end => end.Key.Kind != SoakKind.NonGet
            && end.Key.End.StartsWith("time-out", StringComparison.Ordinal)).Sum(end => end.Value);
        double messages = 0;
        foreach (SoakKind kind in Enum.GetValues<SoakKind>().Where(kind => kind != SoakKind.NonGet))
        {
            messages += result.Ledger.BegunOf(kind) * (kind is SoakKind.Upload or SoakKind.Download ? Blocks : kind == SoakKind.Slow ? 2
                : 1);
        }

        return (count, messages * GivenUp(result.Settings));
    }

    /// <summary>The same of Non-confirmable requests: every one of which the request or the answer was lost.</summary>
    public static (long Count, double Expected) NonTimeouts(SoakResult result)
    {
        long count = result.Ledger.Ends.Where(end => end.Key.Kind == SoakKind.NonGet
            && end.Key.End.StartsWith("time-out", StringComparison.Ordinal)).Sum(end => end.Value);
        return (count, result.Ledger.BegunOf(SoakKind.NonGet) * RoundTripLoss(result.Settings));
    }

    /// <summary>What grows in an hour, by the straight line that is nearest to the samples.</summary>
    public static double SlopePerHour(IReadOnlyList<SoakSample> samples, Func<SoakSample, double> value)
    {
        if (samples.Count < 2)
        {
            return 0;
        }

        double meanTime = samples.Average(sample => sample.At.TotalHours);
        double mean = samples.Average(value);
        double spread = samples.Sum(sample => Math.Pow(sample.At.TotalHours - meanTime, 2));
        return spread == 0 ? 0 : samples.Sum(sample => (sample.At.TotalHours - meanTime) * (value(sample) - mean)) / spread;
    }

    /// <summary>All that is wrong.</summary>
    public static IReadOnlyList<string> Of(SoakResult result)
    {
        List<string> failures = [];
        Exchanges(result, failures);
        Memory(result, failures);
        failures.AddRange(result.Ledger.Wrong.Select(wrong => $"wrong: {wrong}"));
        failures.AddRange(result.Unobserved.Select(exception => $"unobserved exception: {exception}"));
        failures.AddRange(result.Thrown.Where(thrown => !s_expectedKinds.Contains(thrown.Key))
            .Select(thrown => $"unexpected kind of exception: {thrown.Value} times {thrown.Key}"));
        failures.AddRange(result.Log.Errors.Select(error => $"logged: {error}"));
        failures.AddRange(result.Outdated.Select(one => $"last state not told: {one}"));
        failures.AddRange(result.Kept.Select(one => $"not freed after the end: {one}"));
        return failures;
    }

    private static double RoundTripLoss(SoakSettings settings) => 1 - Math.Pow(1 - settings.Loss, 2);

    private static void Exchanges(SoakResult result, List<string> failures)
    {
        SoakLedger ledger = result.Ledger;
        failures.AddRange(ledger.OpenOnes.Select(one => $"lost exchange: {one} never ended"));
        long ended = ledger.Ends.Values.Sum();
        if (ended + ledger.Open != ledger.Begun)
        {
            failures.Add($"lost exchange: {ledger.Begun} begun, {ended} ended, {ledger.Open} under way");
        }

        failures.AddRange(ledger.Ends.Keys.Where(end => !s_expectedEnds.Contains(end.End)
            && !(end.End == SoakLedger.Cancelled && end.Kind == SoakKind.Cancel))
            .Select(end => $"unexplained end: {ledger.Ends[end]} times {end.Kind} {end.End}"));
        if (result.Cuts == 0 && ledger.Ends.Any(end => end.Key.End.StartsWith("connection", StringComparison.Ordinal)))
        {
            failures.Add("unexplained end: connections ended that nobody cut");
        }

        // Chance has some room: five standard deviations, and something for what is still rarer.
        (long count, double expected) = ConfirmableTimeouts(result);
        if (count > (2 * expected) + (5 * Math.Sqrt(expected)) + 5)
        {
            failures.Add($"{count} time-outs of Confirmable requests; losses explain {expected:F1}");
        }

        (count, expected) = NonTimeouts(result);
        if (count > (1.1 * expected) + (5 * Math.Sqrt(expected)) + 5)
        {
            failures.Add($"{count} time-outs of Non-confirmable requests; losses explain {expected:F1}");
        }

        if (result.Repeated > 0)
        {
            failures.Add($"{result.Repeated} POSTs ran again");
        }
    }

    private static void Memory(SoakResult result, List<string> failures)
    {
        IReadOnlyList<SoakSample> steady = result.Steady;
        if (steady.Count < 2)
        {
            failures.Add("too few samples to say whether memory is flat; give it more time");
            return;
        }

        double hours = (steady[^1].At - steady[0].At).TotalHours;
        Flat("the heap", SlopePerHour(steady, sample => sample.Heap) * hours, result.Settings.HeapSlack);
        Flat("the memory of the process", SlopePerHour(steady, sample => sample.Resident) * hours, result.Settings.ResidentSlack);
        int quarter = Math.Max(1, steady.Count / 4);
        Handles("descriptors", sample => sample.Handles);
        Handles("threads", sample => sample.Threads);
        CoapLimits limits = new();
        foreach (SoakSample sample in result.Samples)
        {
            if (sample.Peers > SoakRun.MaxPeers || sample.BodyBytes > limits.Blockwise.RequestMemory + limits.Blockwise.ResponseMemory
                || sample.RepliesKept > limits.Deduplication.Memory + limits.Peers.NewcomerMemory)
            {
                failures.Add($"a table outgrew its bound: {sample}");
            }
        }

        if (result.Handles.After > result.Handles.Before + result.Settings.HandleSlack)
        {
            failures.Add($"not freed after the end: {result.Handles.After} descriptors, {result.Handles.Before} "
                + $"before: {result.HandlesLeft}");
        }

        if (result.Heap.After > result.Heap.Before + FreedSlack)
        {
            failures.Add($"not freed after the end: a heap of {result.Heap.After:N0} B, {result.Heap.Before:N0} B before");
        }

        void Flat(string what, double growth, long slack)
        {
            if (growth > slack)
            {
                failures.Add($"{what} grew by {growth / (1 << 20):F1} MiB, more than {slack >> 20} MiB");
            }
        }

        void Handles(string what, Func<SoakSample, int> value)
        {
            // The least of each quarter: connections come and go.
            int before = steady.Take(quarter).Min(value);
            int after = steady.TakeLast(quarter).Min(value);
            if (after > before + result.Settings.HandleSlack)
            {
                failures.Add($"{what} grew from {before} to {after}");
            }
        }
    }
}
