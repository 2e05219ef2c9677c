namespace CoAP.NET.Simulation.Simulate;

/// <summary>What can happen in a scenario at a given time.</summary>
internal enum StepKind
{
    /// <summary>A node sends a request to another.</summary>
    Request,

    /// <summary>A node asks another whether it is there.</summary>
    Ping,

    /// <summary>A node begins to observe a resource of another.</summary>
    Observe,

    /// <summary>A node gives the observation up that the step with this id began.</summary>
    Unobserve,

    /// <summary>An observable resource changes.</summary>
    Change,

    /// <summary>All links work as said from now on.</summary>
    Conditions,

    /// <summary>Two nodes are cut off from each other.</summary>
    Partition,

    /// <summary>Nothing gets from one node to another any more.</summary>
    Block,

    /// <summary>All partitions end.</summary>
    Heal,

    /// <summary>A node loses all it knows and comes back at the same address.</summary>
    Restart,

    /// <summary>A node has another address in the eyes of all others.</summary>
    Rebind,

    /// <summary>The date is set.</summary>
    Jump,
}
