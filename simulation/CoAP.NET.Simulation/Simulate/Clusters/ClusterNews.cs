namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>What a process tells of a seed.</summary>
/// <param name="Tally">What happened.</param>
/// <param name="Failure">What did not hold; null for nothing.</param>
internal sealed record ClusterNews(ClusterTally Tally, string? Failure);
