namespace CoAP.NET.Load.Figures;

/// <summary>Times of a run, in microseconds, in steps of at most 1.6 %: for scripts that do not read the whole histogram.</summary>
/// <param name="Min">The shortest time.</param>
/// <param name="P50">Half of the times do not exceed it.</param>
/// <param name="P90">90 % do not.</param>
/// <param name="P95">95 % do not.</param>
/// <param name="P99">99 % do not.</param>
/// <param name="P999">99.9 % do not.</param>
/// <param name="Max">The longest time.</param>
internal sealed record LoadQuantiles(double Min, double P50, double P90, double P95, double P99, double P999, double Max)
{
    /// <summary>Returns those of a histogram; null if it is empty.</summary>
    public static LoadQuantiles? Of(LoadHistogram times) => times.Count == 0 ? null : new(
        times.Microseconds(0), times.Microseconds(0.5), times.Microseconds(0.9), times.Microseconds(0.95), times.Microseconds(0.99),
        times.Microseconds(0.999), times.Microseconds(1));
}
