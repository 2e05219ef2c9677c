namespace CoAP.NET.Settings;

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
