namespace CoAP.NET.Cli.Bench;

/// <summary>
/// Counts times in steps of at most 1.6 %, so that it takes no memory for each. Not thread-safe; one for each loop, added up at the end.
/// </summary>
internal sealed class LoadHistogram
{
    // Up to 2^40 ns, 18 minutes; whatever is longer counts as that.
    private const int Rows = 40 - 6 + 1;

    private readonly long[] _counts = new long[Rows * HistogramSteps.PerPower];

    /// <summary>How many there are.</summary>
    public long Count { get; private set; }

    /// <summary>The sum of all, in nanoseconds.</summary>
    public double Sum { get; private set; }

    /// <summary>The longest, in nanoseconds.</summary>
    public long Longest { get; private set; }

    /// <summary>The steps that hold something, as pairs of upper bound in nanoseconds and count, by time.</summary>
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

    /// <summary>Adds a time several times over.</summary>
    public void Add(long nanoseconds, long count)
    {
        long time = Math.Max(0, nanoseconds);
        _counts[Math.Min(HistogramSteps.IndexOf(time), _counts.Length - 1)] += count;
        Count += count;
        Sum += (double)time * count;
        Longest = Math.Max(Longest, time);
    }

    /// <summary>Adds all times of another.</summary>
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

    /// <summary>Forgets all.</summary>
    public void Clear()
    {
        Array.Clear(_counts);
        (Count, Sum, Longest) = (0, 0, 0);
    }

    /// <summary>The time that so large a part of them does not exceed, in microseconds; 0 when there are none.</summary>
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

    // The last value of a step, so that a time is never told shorter than it was.
    private static long ValueOf(int index) => HistogramSteps.FirstOf(index + 1) - 1;
}
