using System.Globalization;
using System.Text;

namespace CoAP.NET.Simulation.Congestion;

/// <summary>Runs scenarios with every timing and several seeds, and says the means.</summary>
public static class CongestionReport
{
    // Single requests: the default is that of RFC 7252.
    private static readonly CoapRetransmissionTiming[] s_timings =
        [.. Enum.GetValues<CoapRetransmissionTiming>().Except([CoapRetransmissionTiming.Rfc7252])];

    /// <summary>Makes a table.</summary>
    /// <param name="title">Its title.</param>
    /// <param name="scenarios">Its rows.</param>
    /// <param name="seeds">How many runs a cell is the mean of.</param>
    /// <returns>Markdown.</returns>
    public static string Make(string title, IReadOnlyList<CongestionScenario> scenarios, int seeds)
    {
        StringBuilder text = new();
        text.AppendLine(CultureInfo.InvariantCulture, $"### {title}").AppendLine();
        text.AppendLine(CultureInfo.InvariantCulture, $"| | {string.Join(" | ", s_timings)} |");
        text.AppendLine(CultureInfo.InvariantCulture, $"|---|{string.Concat(s_timings.Select(static _ => "---|"))}");
        foreach (CongestionScenario scenario in scenarios)
        {
            text.Append(CultureInfo.InvariantCulture, $"| {scenario.Name} |");
            foreach (CoapRetransmissionTiming timing in s_timings)
            {
                text.Append(CultureInfo.InvariantCulture, $" {Cell(scenario, timing, seeds)} |");
            }

            text.AppendLine();
        }

        return text.ToString();
    }

    private static string Short(double value) =>
        value.ToString(value switch { >= 100 => "F0", >= 10 => "F1", >= 1 => "F2", _ => "F3" }, CultureInfo.InvariantCulture);

    private static string Cell(CongestionScenario scenario, CoapRetransmissionTiming timing, int seeds)
    {
        // Each run is alone on its virtual clock; the seeds are the same for every timing.
        CongestionResult[] results = new CongestionResult[seeds];
        Parallel.For(0, seeds, new ParallelOptions { MaxDegreeOfParallelism = 2 },
            i => results[i] = CongestionRun.RunAsync(scenario, timing, i + 1).GetAwaiter().GetResult());
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{Short(results.Average(static result => result.Goodput))} / {results.Average(static result => result.SpuriousShare):0.#} "
                + $"/ {results.Average(static result => result.FailedShare):0.#} "
                + $"/ {Short(results.Average(static result => result.Slow.TotalSeconds))}");
    }
}
