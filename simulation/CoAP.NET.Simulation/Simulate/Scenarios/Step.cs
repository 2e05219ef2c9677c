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

    public CoapPatience Patience { get; init; }

    public int Loss { get; init; }

    public int Duplication { get; init; }

    public int Corruption { get; init; }

    public int Reordering { get; init; }

    public int MinDelay { get; init; }

    public int MaxDelay { get; init; }

    /// <summary>How long a node is down, how far the date jumps.</summary>
    public int Time { get; init; }
}
