using System.Runtime.CompilerServices;

namespace CoAP.NET.Tables;

internal static class ArgumentRangeCheck
{
    /// <summary>Throws unless a value is in its range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of the range.</exception>
    public static void Check<T>(T value, T least, T most, [CallerArgumentExpression(nameof(value))] string name = "")
        where T : IComparable<T>
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, least, name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, most, name);
    }
}
