using CoAP.NET.Bench;

namespace CoAP.NET.Simulation.Overload;

/// <summary>A state of an observed resource, and how long it took to be told.</summary>
/// <param name="changedAt">When it came, as a time stamp.</param>
internal sealed class ObservedState(long changedAt)
{
    public long ChangedAt { get; } = changedAt;

    /// <summary>The times of those who were told.</summary>
    public LatencyHistogram Times { get; } = new();
}
