namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>An unsafe request.</summary>
/// <param name="Device">Whose.</param>
/// <param name="Sessions">How many sessions it had opened before.</param>
internal sealed record CountedRequest(SimulatedDevice Device, int Sessions)
{
    public List<ClusterRunOfRequest> Runs { get; } = [];

    /// <summary>Whether its answer has come to the device.</summary>
    public bool IsAnswered { get; set; }

    /// <summary>Whether the device has sent another one after that.</summary>
    public bool HasLaterRequest { get; set; }
}

/// <summary>That it was carried out.</summary>
/// <param name="Node">Where.</param>
/// <param name="Time">When.</param>
/// <param name="Sessions">How many sessions the device had opened by then.</param>
internal sealed record ClusterRunOfRequest(SimulatedClusterNode Node, TimeSpan Time, int Sessions);
