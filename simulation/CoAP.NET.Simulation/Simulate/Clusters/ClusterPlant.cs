using CoAP.NET.Cluster;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>A defect that is put in on purpose, to see that the checks find it.</summary>
/// <param name="Summary">What is wrong, in a few words.</param>
/// <param name="FoundBy">By which check it has to be found.</param>
/// <param name="Store">Makes, for a run, what stands before the stores of its nodes; null where the defect is elsewhere.</param>
internal sealed record ClusterPlant(
    string Summary, ClusterCheck FoundBy, Func<Func<ICoapClusterStore, PlantedStore>>? Store = null);
