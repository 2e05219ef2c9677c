using System.Net;

namespace CoAP.NET.Load.Workers;

internal sealed record WorkerOptions
{
    /// <summary>The word that a coordinator must know; null for none.</summary>
    public string? Key { get; init; }

    /// <summary>Receives lines about the worker's activity; called from any thread.</summary>
    public Action<string>? Say { get; init; }

    /// <summary>Receives the address once the worker listens.</summary>
    public Action<IPEndPoint>? Listening { get; init; }

    /// <summary>The clock of all limits.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    public TimeSpan HelloLimit { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>The timeout for its plan, while it connects to other workers.</summary>
    public TimeSpan PlanLimit { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// The timeout for the start of a ready run, while other workers connect their peers, in addition to the plan's ramp.
    /// </summary>
    public TimeSpan StartLimit { get; init; } = TimeSpan.FromSeconds(180);
}
