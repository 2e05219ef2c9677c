namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>One step of a run with clusters. What a kind does not use is as it would be anyway.</summary>
internal sealed record ClusterStep
{
    public ClusterStepKind Kind { get; set; }

    /// <summary>A number of its own, which requests bear.</summary>
    public int Id { get; set; }

    public int Device { get; set; }

    public int Node { get; set; }

    /// <summary>What is observed or changed, and which other node or recorded datagram is meant.</summary>
    public int Resource { get; set; }

    /// <summary>How long a handler takes, or a fault lasts, in milliseconds.</summary>
    public int Time { get; set; }

    /// <summary>How much later the next step is, in milliseconds.</summary>
    public int Pause { get; set; }
}
