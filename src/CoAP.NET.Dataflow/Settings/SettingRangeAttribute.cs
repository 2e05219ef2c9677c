namespace CoAP.NET.Settings;

/// <summary>The values that a setting accepts. Setter, comment and configuration key follow from it.</summary>
[AttributeUsage(AttributeTargets.Property)]
internal abstract class SettingRangeAttribute : Attribute;

/// <summary>A whole number.</summary>
/// <param name="min">The minimum.</param>
/// <param name="max">The maximum; <see cref="long.MaxValue"/> for that of the type.</param>
internal sealed class NumberRangeAttribute(long min, long max = long.MaxValue) : SettingRangeAttribute
{
    public long Min => min;

    public long Max => max;

    /// <summary>Whether it counts bytes.</summary>
    public bool IsBytes { get; init; }
}

/// <summary>A number with a fraction.</summary>
/// <param name="min">The minimum.</param>
/// <param name="max">The maximum; <see cref="double.MaxValue"/> for none.</param>
internal sealed class FactorRangeAttribute(double min, double max = double.MaxValue) : SettingRangeAttribute
{
    public double Min => min;

    public double Max => max;

    /// <summary>Whether the minimum itself is excluded.</summary>
    public bool IsMinExcluded { get; init; }
}

/// <summary>A time.</summary>
/// <param name="min">The minimum, in seconds (<see cref="Seconds"/>).</param>
/// <param name="max">The maximum, in seconds; <see cref="double.MaxValue"/> for none.</param>
internal sealed class TimeRangeAttribute(double min, double max = double.MaxValue) : SettingRangeAttribute
{
    public TimeSpan Min => Of(min);

    public TimeSpan Max => Of(max);

    /// <summary>Whether the minimum itself is excluded.</summary>
    public bool IsMinExcluded { get; init; }

    /// <summary>Whether <see cref="Timeout.InfiniteTimeSpan"/> is allowed, too.</summary>
    public bool OrInfinite { get; init; }

    private static TimeSpan Of(double seconds) => seconds < double.MaxValue
        ? TimeSpan.FromTicks((long)Math.Round(seconds * TimeSpan.TicksPerSecond))
        : TimeSpan.MaxValue;
}

/// <summary>A member of an enumeration.</summary>
internal sealed class DefinedMemberAttribute : SettingRangeAttribute;

/// <summary>Times in seconds, for <see cref="TimeRangeAttribute"/>.</summary>
internal static class Seconds
{
    public const double Millisecond = 0.001;
    public const double Minute = 60;
    public const double Hour = 60 * Minute;
    public const double Day = 24 * Hour;
}
