namespace CoAP.NET.Load.Workers;

internal sealed record CoordinatorOptions
{
    /// <summary>The word that the workers require; null for none.</summary>
    public string? Key { get; init; }

    /// <summary>Receives sentences about lost workers, and about fewer workers than named.</summary>
    public Action<string>? Say { get; init; }

    /// <summary>The clock of ticks and limits.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>The timeout of a connection to a worker, and of its first answer.</summary>
    public TimeSpan ConnectLimit { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>The timeout for the workers to connect their peers, in addition to the plan's ramp.</summary>
    public TimeSpan ReadyLimit { get; init; } = TimeSpan.FromSeconds(90);

    /// <summary>The timeout for the result, in addition to the plan's times.</summary>
    public TimeSpan ResultLimit { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>The timeout for results after a cancellation.</summary>
    public TimeSpan CancelLimit { get; init; } = TimeSpan.FromSeconds(10);
}
