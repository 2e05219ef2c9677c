namespace CoAP.NET.Cli.Bench;

/// <summary>
/// Where a run waits between "all peers are connected" and its first request, so that several workers begin together. A run passes it
/// exactly once, before the ramp and the warm-up. This one lets every run pass at once: for a program that runs alone.
/// </summary>
internal class LoadGate
{
    /// <summary>The one that is always open.</summary>
    public static LoadGate Open { get; } = new();

    /// <summary>Says that this run is ready, and ends when it may begin.</summary>
    /// <exception cref="OperationCanceledException">The run was ended while it waited.</exception>
    public virtual Task ReadyAsync(CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested ? Task.FromCanceled(cancellationToken) : Task.CompletedTask;
}
