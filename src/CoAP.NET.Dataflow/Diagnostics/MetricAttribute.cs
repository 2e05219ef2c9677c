namespace CoAP.NET.Diagnostics;

/// <summary>Names the metric that a counter belongs to.</summary>
/// <param name="name">The name of the metric.</param>
/// <param name="value">The value of the metric's tag; null for a metric without a tag.</param>
/// <param name="meaning">What the counter counts, in words that complete the metric's description; null if that says all.</param>
[AttributeUsage(AttributeTargets.Field)]
internal class MetricAttribute(string name, string? value, string? meaning) : Attribute
{
    public string Name { get; } = name;

    public string? Value { get; } = value;

    public string? Meaning { get; } = meaning;
}
