using System.Numerics;

namespace CoAP.NET.Bench;

/// <summary>Counts times in steps of at most 1.6 %, so that it takes no memory for each.</summary>
internal sealed class LatencyHistogram
{
    private const int StepBits = 6;
    private const int Steps = 1 << StepBits;

    private readonly long[] _counts = new long[64 * Steps];

    public long Count { get; private set; }

    /// <summary>Adds a time in nanoseconds.</summary>
    public void Add(long nanoseconds)
    {
        _counts[IndexOf(Math.Max(0, nanoseconds))]++;
        Count++;
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
                return ValueOf(i) / 1000.0;
            }
        }

        return 0;
    }

    private static int IndexOf(long value)
    {
        if (value < Steps)
        {
            return (int)value;
        }

        int shift = BitOperations.Log2((ulong)value) - StepBits;
        return ((shift + 1) << StepBits) + (int)((value >> shift) - Steps);
    }

    private static long ValueOf(int index)
    {
        int row = index >> StepBits;
        return row == 0 ? index : (long)(Steps + (index & (Steps - 1))) << (row - 1);
    }
}
