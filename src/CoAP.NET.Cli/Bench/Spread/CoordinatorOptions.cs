namespace CoAP.NET.Cli.Bench;

/// <summary>What a coordinator needs beside the plan.</summary>
internal sealed record CoordinatorOptions
{
    /// <summary>The word that the workers ask for; null when they ask for none.</summary>
    public string? Key { get; init; }

    /// <summary>Is told, in a sentence, of workers that are lost, and when fewer take part than were named.</summary>
    public Action<string>? Say { get; init; }

    /// <summary>The clock of ticks and limits.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>How long a worker may take to be reached, and to answer the first line.</summary>
    public TimeSpan ConnectLimit { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long the workers may take to connect their peers, beside the plan's ramp.</summary>
    public TimeSpan ReadyLimit { get; init; } = TimeSpan.FromSeconds(90);

    /// <summary>How much longer than the plan's times together a run may take until its result is here.</summary>
    public TimeSpan ResultLimit { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>How long is waited for results after a run was cancelled.</summary>
    public TimeSpan CancelLimit { get; init; } = TimeSpan.FromSeconds(10);
}
