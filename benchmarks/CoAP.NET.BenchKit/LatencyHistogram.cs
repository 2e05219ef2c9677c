namespace CoAP.NET.Bench;

/// <summary>Counts times in steps of at most 1.6 %, so that it takes no memory for each.</summary>
internal sealed class LatencyHistogram
{
    // A step for each value that the exponent and the first six bits of the fraction of a double have, from 1 on.
    private const int Shift = 52 - 6;
    private const int First = 1023 << 6;

    private readonly long[] _counts = new long[64 << 6];

    public long Count { get; private set; }

    /// <summary>Adds a time in nanoseconds.</summary>
    public void Add(long nanoseconds)
    {
        _counts[IndexOf(nanoseconds)]++;
        Count++;
    }

    /// <summary>Adds all times of another one.</summary>
    public void Add(LatencyHistogram other)
    {
        for (int i = 0; i < _counts.Length; i++)
        {
            _counts[i] += other._counts[i];
        }

        Count += other.Count;
    }

    /// <summary>How many of them are shorter than a time, to the step.</summary>
    public long CountBelow(TimeSpan time)
    {
        long count = 0;
        for (int i = IndexOf(time.TotalNanoseconds) - 1; i >= 0; i--)
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
                return FirstOf(i) / 1000;
            }
        }

        return 0;
    }

    private static int IndexOf(double nanoseconds) => (int)(BitConverter.DoubleToInt64Bits(Math.Max(1, nanoseconds)) >> Shift) - First;

    private static double FirstOf(int index) => BitConverter.Int64BitsToDouble((long)(index + First) << Shift);
}
