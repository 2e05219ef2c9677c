using System.Numerics;

namespace CoAP.NET.Load.Figures;

/// <summary>Time steps of at most 1.6 % width: 64 per power of two.</summary>
internal static class HistogramSteps
{
    private const int StepBits = 6;

    /// <summary>Number of steps per power of two.</summary>
    public const int PerPower = 1 << StepBits;

    /// <summary>Returns the step of a value; not below zero.</summary>
    public static int IndexOf(long value)
    {
        if (value < PerPower)
        {
            return (int)value;
        }

        int shift = BitOperations.Log2((ulong)value) - StepBits;
        return ((shift + 1) << StepBits) + (int)((value >> shift) - PerPower);
    }

    /// <summary>Returns the least value of a step.</summary>
    public static long FirstOf(int index)
    {
        int row = index >> StepBits;
        return row == 0 ? index : (long)(PerPower + (index & (PerPower - 1))) << (row - 1);
    }
}
