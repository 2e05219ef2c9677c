namespace CoAP.NET.Simulation.Simulate;

/// <summary>
/// One thing that happens in a scenario. Which members have a meaning depends on the kind. Times are milliseconds of virtual time,
/// probabilities are per mille.
/// </summary>
internal sealed record Step
{
    public int At { get; init; }

    public StepKind Kind { get; init; }

    /// <summary>The number by which answers, handlers and later steps name it; stays when others are taken out.</summary>
    public int Id { get; init; }

    public int Node { get; init; }

    public int Peer { get; init; }

    public CoapMethod Method { get; init; } = CoapMethod.Get;

    public SimulatedRoute Route { get; init; }

    public bool Non { get; init; }

    /// <summary>The size of the request's body.</summary>
    public int Upload { get; init; }

    /// <summary>The size of the answer's body; 0 for a short text.</summary>
    public int Download { get; init; }

    public int Timeout { get; init; }

    public int CancelAfter { get; init; }

    /// <summary>How long the handler takes.</summary>
    public int HandlerTime { get; init; }

    public HandlerFailure Failure { get; init; }

    public bool WantsNoResponse { get; init; }

    public CoapTooManyRequestsBehavior TooManyRequests { get; init; }

    public int Loss { get; init; }

    public int Duplication { get; init; }

    public int Corruption { get; init; }

    public int Reordering { get; init; }

    public int MinDelay { get; init; }

    public int MaxDelay { get; init; }

    /// <summary>How long a node is down, how far the date jumps.</summary>
    public int Time { get; init; }
}

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

/// <summary>How a handler fails on purpose.</summary>
internal enum HandlerFailure
{
    None,
    Throws,
    Cancels,
    ReturnsNull,
}
