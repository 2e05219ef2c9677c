namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>Something that was begun.</summary>
/// <param name="What">What it is.</param>
/// <param name="Began">When.</param>
/// <param name="Within">Within which time it ends.</param>
/// <param name="Doing">It.</param>
/// <param name="Node">The node whose end ends it; null for devices.</param>
internal sealed record ClusterOperation(string What, TimeSpan Began, TimeSpan Within, Task<bool> Doing, SimulatedClusterNode? Node)
{
    /// <summary>Whether it was told that it has not ended.</summary>
    public bool IsTold { get; set; }
}
