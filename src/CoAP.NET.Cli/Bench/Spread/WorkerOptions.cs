using System.Net;

namespace CoAP.NET.Cli.Bench;

/// <summary>How a worker serves.</summary>
internal sealed record WorkerOptions
{
    /// <summary>The word that a coordinator must know; null: none is asked for.</summary>
    public string? Key { get; init; }

    /// <summary>Is told, in a line, what the worker does; may be called from any thread.</summary>
    public Action<string>? Say { get; init; }

    /// <summary>Is told once where the worker listens.</summary>
    public Action<IPEndPoint>? Listening { get; init; }

    /// <summary>The clock of all limits.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>How long a coordinator may take to say hello.</summary>
    public TimeSpan HelloLimit { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long it may take to send its plan, while it connects to other workers.</summary>
    public TimeSpan PlanLimit { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How long it may take to start a run that is ready, while other workers connect their peers, beside the plan's ramp.
    /// </summary>
    public TimeSpan StartLimit { get; init; } = TimeSpan.FromSeconds(180);
}
