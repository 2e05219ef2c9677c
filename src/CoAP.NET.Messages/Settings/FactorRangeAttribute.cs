namespace CoAP.NET.Settings;

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
