namespace CoAP.NET.Settings;

internal static class LimitRangeGuard
{
    public static int Check(int value, int min, int max)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, min);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, max);
        return value;
    }

    public static long Check(long value, long min, long max)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, min);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, max);
        return value;
    }

    public static double Fraction(double value) => value is > 0 and <= 1
        ? value
        : throw new ArgumentOutOfRangeException(nameof(value), value, "A share must be above 0 and at most 1.");
}
