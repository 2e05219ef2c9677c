using System.Runtime.CompilerServices;

namespace CoAP.NET.Tables;

/// <summary>Validates options with a range.</summary>
internal static class OptionRange
{
    /// <summary>Throws unless a value is in its range.</summary>
    /// <param name="value">The value of a property.</param>
    /// <param name="least">The smallest value allowed.</param>
    /// <param name="most">The largest value allowed.</param>
    /// <param name="name">The name of the property.</param>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of the range.</exception>
    public static void Check<T>(T value, T least, T most, [CallerArgumentExpression(nameof(value))] string name = "")
        where T : IComparable<T>
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, least, name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, most, name);
    }
}
