namespace CoAP.NET.Simulation.Simulate;

/// <summary>Something that a node asked for and that has not ended.</summary>
internal sealed class Operation
{
    public required Step Step { get; init; }

    public required SimulatedNode Node { get; init; }

    public required Task Task { get; init; }

    public required TimeSpan Begun { get; init; }

    /// <summary>When it must have ended.</summary>
    public required TimeSpan Latest { get; init; }

    public required CancellationTokenSource? Cancellation { get; init; }

    /// <summary>How many times the node had been started when it began.</summary>
    public required int Start { get; init; }

    public bool IsReported { get; set; }
}
