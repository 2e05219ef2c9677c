using System.Runtime.CompilerServices;

namespace CoAP.NET.Settings;

/// <summary>Checks values of settings and arguments.</summary>
internal static class ValueGuard
{
    /// <summary>Returns a value that is in its range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is not.</exception>
    public static T InRange<T>(T value, T min, T max, [CallerArgumentExpression(nameof(value))] string name = "")
        where T : IComparable<T>
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, min, name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, max, name);
        return value;
    }

    /// <summary>Returns a value that is a share of something.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is 0 or less, more than 1, or not a number.</exception>
    public static double Fraction(double value) => value is > 0 and <= 1
        ? value
        : throw new ArgumentOutOfRangeException(nameof(value), value, "A share must be above 0 and at most 1.");

    /// <summary>Returns a value that is not null.</summary>
    /// <exception cref="ArgumentNullException">It is null.</exception>
    public static T NotNull<T>(T value)
        where T : class
    {
        ArgumentNullException.ThrowIfNull(value);
        return value;
    }
}
