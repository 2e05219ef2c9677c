namespace CoAP.NET.Load.Running;

/// <summary>
/// The gate between "all peers are connected" and the first request of a run, which makes several workers begin together. A run passes it
/// exactly once, before the ramp and the warm-up. This one is always open, for a program that runs alone.
/// </summary>
internal class StartGate
{
    /// <summary>The gate that is always open.</summary>
    public static StartGate Open { get; } = new();

    /// <summary>Reports that this run is ready, and ends when it may begin.</summary>
    /// <exception cref="OperationCanceledException">The run was cancelled while it waited.</exception>
    public virtual Task ReadyAsync(CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested ? Task.FromCanceled(cancellationToken) : Task.CompletedTask;
}
