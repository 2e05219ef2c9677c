namespace CoAP.NET.Load.Figures;

/// <summary>
/// Counts times in steps of at most 1.6 %, so that a single time takes no memory. Not thread-safe; one per loop, merged at the end.
/// </summary>
internal sealed class LoadHistogram
{
    // Up to 2^40 ns, 18 minutes; longer times count as that.
    private const int Rows = 40 - 6 + 1;

    private readonly long[] _counts = new long[Rows * HistogramSteps.PerPower];

    public long Count { get; private set; }

    /// <summary>The sum of all times, in nanoseconds.</summary>
    public double Sum { get; private set; }

    /// <summary>The longest time, in nanoseconds.</summary>
    public long Longest { get; private set; }

    /// <summary>The steps with a count, as pairs of upper bound in nanoseconds and count, by time.</summary>
    public IEnumerable<(long Nanoseconds, long Count)> Filled
    {
        get
        {
            for (int i = 0; i < _counts.Length; i++)
            {
                if (_counts[i] > 0)
                {
                    yield return (ValueOf(i), _counts[i]);
                }
            }
        }
    }

    /// <summary>Adds a time in nanoseconds.</summary>
    public void Add(long nanoseconds) => Add(nanoseconds, 1);

    public void Add(long nanoseconds, long count)
    {
        long time = Math.Max(0, nanoseconds);
        _counts[Math.Min(HistogramSteps.IndexOf(time), _counts.Length - 1)] += count;
        Count += count;
        Sum += (double)time * count;
        Longest = Math.Max(Longest, time);
    }

    public void Add(LoadHistogram other)
    {
        for (int i = 0; i < _counts.Length; i++)
        {
            _counts[i] += other._counts[i];
        }

        Count += other.Count;
        Sum += other.Sum;
        Longest = Math.Max(Longest, other.Longest);
    }

    public void Clear()
    {
        Array.Clear(_counts);
        (Count, Sum, Longest) = (0, 0, 0);
    }

    /// <summary>Returns the time that a share of them does not exceed, in microseconds; 0 for none.</summary>
    /// <param name="part">The share, from 0 (the shortest time) to 1 (the longest).</param>
    public double Microseconds(double part)
    {
        long wanted = Math.Max(1, (long)Math.Ceiling(Count * part));
        long seen = 0;
        for (int i = 0; i < _counts.Length; i++)
        {
            seen += _counts[i];
            if (seen >= wanted)
            {
                return Math.Min(ValueOf(i), Longest) / 1000.0;
            }
        }

        return 0;
    }

    // The last value of a step, so that a reported time is never shorter than the real one.
    private static long ValueOf(int index) => HistogramSteps.FirstOf(index + 1) - 1;
}
