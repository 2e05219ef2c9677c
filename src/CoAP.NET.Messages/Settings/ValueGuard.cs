using System.Globalization;
using System.Runtime.CompilerServices;

namespace CoAP.NET.Settings;

/// <summary>Checks values of settings and arguments.</summary>
internal static class ValueGuard
{
    /// <summary>Returns a value that is in its range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is not.</exception>
    public static T InRange<T>(T value, T min, T max, [CallerArgumentExpression(nameof(value))] string name = "")
        where T : IComparable<T>, IFormattable => value.CompareTo(min) >= 0 && value.CompareTo(max) <= 0
            ? value
            : throw new ArgumentOutOfRangeException(name, value, string.Create(
                CultureInfo.InvariantCulture, $"The value must be {min:N0} to {max:N0}."));

    /// <summary>Returns a value that is in its range, or null.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is not.</exception>
    public static T? InRange<T>(T? value, T min, T max, [CallerArgumentExpression(nameof(value))] string name = "")
        where T : struct, IComparable<T>, IFormattable => value is { } set ? InRange(set, min, max, name) : null;

    /// <summary>Returns a number that is in its range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is not, or it is not a number.</exception>
    public static double Factor(
        double value, double min, double max, bool isMinExcluded, [CallerArgumentExpression(nameof(value))] string name = "")
    {
        if ((isMinExcluded ? value > min : value >= min) && (value <= max || max == double.MaxValue))
        {
            return value;
        }

        string least = $"{(isMinExcluded ? "above" : "at least")} {min.ToString(CultureInfo.InvariantCulture)}";
        string most = max < double.MaxValue ? $" and at most {max.ToString(CultureInfo.InvariantCulture)}" : "";
        throw new ArgumentOutOfRangeException(name, value, $"The number must be {least}{most}.");
    }

    /// <summary>Returns a number that is in its range, or null.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is not, or it is not a number.</exception>
    public static double? Factor(
        double? value, double min, double max, bool isMinExcluded, [CallerArgumentExpression(nameof(value))] string name = "") =>
        value is { } set ? Factor(set, min, max, isMinExcluded, name) : null;

    /// <summary>Returns a time that is in its range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is not.</exception>
    public static TimeSpan Time(TimeSpan value, TimeSpan min, TimeSpan max, bool isMinExcluded, bool orInfinite,
        [CallerArgumentExpression(nameof(value))] string name = "")
    {
        if ((orInfinite && value == Timeout.InfiniteTimeSpan) || ((isMinExcluded ? value > min : value >= min) && value <= max))
        {
            return value;
        }

        string least = isMinExcluded ? $"above {min:c}" : $"at least {min:c}";
        string most = max < TimeSpan.MaxValue ? $" and at most {max:c}" : "";
        throw new ArgumentOutOfRangeException(name, value, $"The time must be {least}{most} (days.hours:minutes:seconds)"
            + $"{(orInfinite ? ", or Timeout.InfiniteTimeSpan" : "")}.");
    }

    /// <summary>Returns a time that is in its range, or null.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is not.</exception>
    public static TimeSpan? Time(TimeSpan? value, TimeSpan min, TimeSpan max, bool isMinExcluded, bool orInfinite,
        [CallerArgumentExpression(nameof(value))] string name = "") =>
        value is { } set ? Time(set, min, max, isMinExcluded, orInfinite, name) : null;

    /// <summary>Returns a member of an enumeration.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is none.</exception>
    public static T Defined<T>(T value, [CallerArgumentExpression(nameof(value))] string name = "")
        where T : struct, Enum => Enum.IsDefined(value)
            ? value
            : throw new ArgumentOutOfRangeException(name, value, $"The value is not a member of {typeof(T).Name}.");

    /// <summary>Returns a value that is not null.</summary>
    /// <exception cref="ArgumentNullException">It is null.</exception>
    public static T NotNull<T>(T value, [CallerArgumentExpression(nameof(value))] string name = "")
        where T : class
    {
        ArgumentNullException.ThrowIfNull(value, name);
        return value;
    }

    /// <summary>Refuses to change settings that are in use.</summary>
    /// <param name="user">What uses them; null for nothing.</param>
    /// <param name="settings">The settings.</param>
    /// <param name="property">The property.</param>
    /// <exception cref="InvalidOperationException">They are in use.</exception>
    public static void ThrowIfReadOnly(string? user, object settings, string property)
    {
        if (user is not null)
        {
            throw new InvalidOperationException($"{settings.GetType().Name}.{property} cannot be changed any more: {user} uses these "
                + "options. Set it before, or create other options.");
        }
    }

    /// <summary>Refuses to change a collection inside settings that are in use.</summary>
    /// <param name="user">What uses them; null for nothing.</param>
    /// <param name="collection">The collection, as in "list".</param>
    /// <exception cref="InvalidOperationException">They are in use.</exception>
    public static void ThrowIfReadOnly(string? user, string collection)
    {
        if (user is not null)
        {
            throw new InvalidOperationException($"This {collection} cannot be changed any more: {user} uses the options that contain it. "
                + "Change it before, or create other options.");
        }
    }
}
