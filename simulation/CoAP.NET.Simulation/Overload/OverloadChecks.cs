namespace CoAP.NET.Simulation.Overload;

/// <summary>Says what a server under overload must not have done.</summary>
internal static class OverloadChecks
{
    private const double LeastGoodput = 0.8;

    // Each refusal takes its part of the processor that the answers would have: at ten times the capacity that is a quarter of it.
    private const double LeastGoodputFarAbove = 0.6;
    private const double FarAbove = 5;
    private const double LeastTold = 0.95;
    private const double LongestRecovery = 1;

    // Below ACK_TIMEOUT, so that no client repeats a request that is answered anyway.
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(1);

    /// <summary>
    /// The part of those who observe that was told of the changes of a phase within a second, and the time of 99 in 100 of those who were
    /// told, in milliseconds.
    /// </summary>
    public static (double Part, double Time) ToldWithinASecond(OverloadResult result, LoadPhase phase)
    {
        ObservedState[] states = [.. result.ToldIn(phase)];
        if (states.Length == 0 || result.Observers == 0)
        {
            return (1, 0);
        }

        double part = states.Average(state => state.Times.CountBelow(TimeSpan.FromSeconds(1)) / (double)result.Observers);
        return (part, states.Max(state => state.Times.Microseconds(0.99)) / 1000);
    }

    /// <summary>All that is wrong.</summary>
    public static IReadOnlyList<string> Of(OverloadResult result)
    {
        List<string> failures = [.. WithoutTime(result)];
        for (int i = 0; i < result.Phases.Count; i++)
        {
            LoadPhase phase = result.Phases[i];
            bool isPeak = phase.Name[0] is >= '0' and <= '9';
            double p99 = phase.Times.Microseconds(0.99) / 1_000_000;
            if (p99 > s_longest.TotalSeconds)
            {
                Add($"{phase.Name}: answers took up to {p99:F2} s (p99)");
            }

            // What others took of the processor in that time, the server could not use.
            double had = result.Path == "busy" && phase.Processor > 0 ? Math.Min(1, phase.Processor) : 1;
            double least = phase.Rate > FarAbove * result.Capacity ? LeastGoodputFarAbove : LeastGoodput;
            if (isPeak && phase.Goodput < least * result.Capacity * had)
            {
                Add($"{phase.Name}: {phase.Goodput:F0} answers a second of {result.Capacity:F0}");
            }

            if (ToldWithinASecond(result, phase).Part < LeastTold)
            {
                Add($"{phase.Name}: only {100 * ToldWithinASecond(result, phase).Part:F1} % of the observers were told within a second");
            }

            if (isPeak && result.RecoveryOf(result.Phases[i + 1], result.Phases[0]) is not <= LongestRecovery)
            {
                Add($"{phase.Name}: not as before a second after it");
            }
        }

        return failures;

        void Add(FormattableString text) => failures.Add($"/{result.Path}, {text.ToString()}");
    }

    /// <summary>What is wrong however fast the machine is.</summary>
    public static IEnumerable<string> WithoutTime(OverloadResult result)
    {
        if (result.RefusedWithoutMaxAge > 0)
        {
            yield return $"/{result.Path}: {result.RefusedWithoutMaxAge} times 5.03 without Max-Age";
        }

        foreach (LoadPhase phase in result.Phases.Where(phase => phase.Errors > 0))
        {
            yield return $"/{result.Path}, {phase.Name}: {phase.Errors} answers that are neither 2.05 nor 5.03";
        }

        if (result.UpToDate < result.Observers)
        {
            yield return $"/{result.Path}: {result.Observers - result.UpToDate} observers do not have the last state";
        }

        foreach (PacedTransfers.Transfer transfer in result.Transfers.Where(transfer => transfer.Error is not null))
        {
            yield return $"/{result.Path}: {transfer.Kind}: {transfer.Error}";
        }
    }
}
