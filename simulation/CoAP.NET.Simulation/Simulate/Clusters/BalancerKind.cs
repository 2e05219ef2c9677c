namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>How a balancer chooses nodes.</summary>
internal enum BalancerKind
{
    /// <summary>A device stays where it is.</summary>
    Sticky,

    /// <summary>Each datagram of a session goes to any node.</summary>
    Spray,

    /// <summary>It goes on sending to nodes that are gone, for seconds.</summary>
    Lag,
}
