namespace CoAP.NET.Explorer.Dashboard;

/// <summary>
/// Latency buckets that grow by the fourth root of two, from 1 µs to about two minutes. The error of percentiles is at most a tenth.
/// </summary>
internal static class LatencyBuckets
{
    private const double Least = 1e-6;
    private const int InOctave = 4;

    /// <summary>The number of buckets. The last one holds all longer times.</summary>
    public const int Count = (27 * InOctave) + 1;

    public static int Of(double seconds) =>
        seconds <= Least ? 0 : Math.Min(Count - 1, (int)(Math.Log2(seconds / Least) * InOctave));

    /// <summary>Returns a percentile in seconds; null if nothing was counted.</summary>
    /// <param name="counts">The count of each bucket.</param>
    /// <param name="part">The fraction, above 0 and at most 1.</param>
    public static double? PercentileOf(ReadOnlySpan<long> counts, double part)
    {
        long total = 0;
        foreach (long count in counts)
        {
            total += count;
        }

        long wanted = Math.Max(1, (long)Math.Ceiling(total * part));
        long before = 0;
        for (int i = 0; i < counts.Length; i++)
        {
            if (before + counts[i] >= wanted)
            {
                double within = (wanted - before - 0.5) / counts[i];
                return Least * Math.Pow(2, (i + within) / InOctave);
            }

            before += counts[i];
        }

        return null;
    }
}
