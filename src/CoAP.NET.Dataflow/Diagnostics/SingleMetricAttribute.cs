namespace CoAP.NET.Diagnostics;

/// <summary>Says that a counter is a metric of its own.</summary>
/// <param name="name">The name of the metric.</param>
/// <param name="unit">The unit in UCUM.</param>
/// <param name="description">A human-readable description.</param>
/// <param name="meaning">What the counter counts, for a list of counters; null if it is in none.</param>
internal sealed class SingleMetricAttribute(string name, string unit, string description, string? meaning = null)
    : MetricAttribute(name, null, meaning)
{
    public string Unit { get; } = unit;

    public string Description { get; } = description;
}
