namespace CoAP.NET.Simulation.Congestion;

/// <summary>Runs scenarios with every timing and several seeds, and says the means.</summary>
public static class CongestionReport
{
    // Single requests: the default is that of RFC 7252.
    private static readonly CoapRetransmissionAlgorithm[] s_timings =
        [.. Enum.GetValues<CoapRetransmissionAlgorithm>().Except([CoapRetransmissionAlgorithm.Rfc7252])];

    /// <summary>Makes a table.</summary>
    /// <param name="title">Its title.</param>
    /// <param name="scenarios">Its rows.</param>
    /// <param name="seeds">How many runs a cell is the mean of.</param>
    /// <returns>Markdown.</returns>
    public static string Make(string title, IReadOnlyList<CongestionScenario> scenarios, int seeds)
    {
        StringBuilder text = new();
        text.AppendLine($"### {title}").AppendLine();
        text.AppendLine($"| | {string.Join(" | ", s_timings)} |");
        text.AppendLine($"|---|{string.Concat(s_timings.Select(_ => "---|"))}");
        foreach (CongestionScenario scenario in scenarios)
        {
            text.Append($"| {scenario.Name} |");
            foreach (CoapRetransmissionAlgorithm timing in s_timings)
            {
                text.Append($" {Cell(scenario, timing, seeds)} |");
            }

            text.AppendLine();
        }

        return text.ToString();
    }

    private static string Short(double value) =>
        value.ToString(value switch { >= 100 => "F0", >= 10 => "F1", >= 1 => "F2", _ => "F3" });

    private static string Cell(CongestionScenario scenario, CoapRetransmissionAlgorithm timing, int seeds)
    {
        // Each run is alone on its virtual clock; the seeds are the same for every timing.
        CongestionResult[] results = new CongestionResult[seeds];
        Parallel.For(0, seeds, new ParallelOptions { MaxDegreeOfParallelism = 2 },
            i => results[i] = CongestionRun.RunAsync(scenario, timing, i + 1).GetAwaiter().GetResult());
        return $"{Short(results.Average(result => result.Goodput))} / {results.Average(result => result.SpuriousShare):0.#} "
                + $"/ {results.Average(result => result.FailedShare):0.#} "
                + $"/ {Short(results.Average(result => result.Slow.TotalSeconds))}";
    }
}
