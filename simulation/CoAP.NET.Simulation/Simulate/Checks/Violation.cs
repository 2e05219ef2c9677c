using System.Globalization;

namespace CoAP.NET.Simulation.Simulate;

/// <summary>Something that must never be, and was.</summary>
/// <param name="Check">Which rule.</param>
/// <param name="What">What was seen.</param>
/// <param name="Time">When.</param>
/// <param name="Nodes">Where.</param>
internal sealed record Violation(CheckKind Check, string What, TimeSpan Time, IReadOnlyList<int> Nodes)
{
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Check} at {Time.TotalSeconds:F3} s: {What}");
}
