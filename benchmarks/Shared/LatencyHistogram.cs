using CoAP.NET.Cli.Bench;

namespace CoAP.NET.Bench;

/// <summary>Counts times in steps of at most 1.6 %, so that it takes no memory for each.</summary>
internal sealed class LatencyHistogram
{
    private readonly long[] _counts = new long[64 * HistogramSteps.PerPower];

    public long Count { get; private set; }

    /// <summary>Adds a time in nanoseconds.</summary>
    public void Add(long nanoseconds)
    {
        _counts[HistogramSteps.IndexOf(Math.Max(0, nanoseconds))]++;
        Count++;
    }

    /// <summary>How many of them are shorter than a time, to the step.</summary>
    public long CountBelow(TimeSpan time)
    {
        long count = 0;
        for (int i = HistogramSteps.IndexOf((long)time.TotalNanoseconds) - 1; i >= 0; i--)
        {
            count += _counts[i];
        }

        return count;
    }

    /// <summary>The time that so large a part of them is below, in microseconds; 0 when there are none.</summary>
    public double Microseconds(double part)
    {
        long wanted = (long)Math.Ceiling(Count * part);
        long seen = 0;
        for (int i = 0; i < _counts.Length; i++)
        {
            seen += _counts[i];
            if (seen >= wanted && seen > 0)
            {
                return HistogramSteps.FirstOf(i) / 1000.0;
            }
        }

        return 0;
    }
}
