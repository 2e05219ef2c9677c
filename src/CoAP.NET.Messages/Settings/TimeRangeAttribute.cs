namespace CoAP.NET.Settings;

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
