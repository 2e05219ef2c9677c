using System.Globalization;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>Something that must never be, and was.</summary>
/// <param name="Check">Which rule.</param>
/// <param name="What">What was seen.</param>
/// <param name="Time">When.</param>
internal sealed record ClusterViolation(ClusterCheck Check, string What, TimeSpan Time)
{
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Check} at {Time.TotalSeconds:F3} s: {What}");
}
