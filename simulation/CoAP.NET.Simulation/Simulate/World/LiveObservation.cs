namespace CoAP.NET.Simulation.Simulate;

/// <summary>An observation that a node holds, with what is expected of it.</summary>
internal sealed class LiveObservation(SimulatedWorld world, Step step, SimulatedNode observer, SimulatedNode observed)
{
    // What was sent before a restart of the server may come after what came since, for as long as a datagram can be on its way and RFC 7641
    // section 3.4 takes its number for newer.
    private static readonly TimeSpan s_upset = TimeSpan.FromSeconds(300);

    private int _last;

    public Step Step { get; } = step;

    public SimulatedNode Observer { get; } = observer;

    public SimulatedNode Observed { get; } = observed;

    public int Start { get; } = observer.Starts;

    public CoapObservation? Observation { get; set; }

    public bool IsLarge => Step.Route == SimulatedRoute.LargeState;

    /// <summary>Whether it has the newest state.</summary>
    public bool HasLast =>
        Observation?.Latest is { IsSuccess: true } latest
            && Answers.ReadState(latest.Payload.Span, Observed.Plan.Index, IsLarge) == Observed.ValueOf(Step.Route);

    public void End() => _ = Observation?.DisposeAsync().AsTask();

    public void OnNotification(CoapResponse response)
    {
        world.CheckThread();
        if (!response.IsSuccess || world.Scenario.Corrupts)
        {
            return;
        }

        if (Answers.ReadState(response.Payload.Span, Observed.Plan.Index, IsLarge) is not { } value)
        {
            world.Violate(CheckKind.Bodies, $"observation {Step.Id} was given {response} that is no state of its resource",
                Observer.Plan.Index, Observed.Plan.Index);
            return;
        }

        world.Note(Observer.Plan.Index, "is notified", Step.Id, value);
        if (value < _last && world.Clock.Elapsed - Observed.LastUpset > s_upset && world.Clock.Elapsed - Observer.LastUpset > s_upset)
        {
            world.Violate(CheckKind.Order, $"observation {Step.Id} was given value {value} after {_last}", Observer.Plan.Index,
                Observed.Plan.Index);
        }

        _last = value;
    }
}

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
