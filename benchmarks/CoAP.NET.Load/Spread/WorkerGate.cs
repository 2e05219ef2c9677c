namespace CoAP.NET.Load;

/// <summary>The gate of a worker's run: tells the coordinator that the run is ready, and opens when it says start.</summary>
internal sealed class WorkerGate(SpreadConnection connection, WorkerOptions options) : LoadGate
{
    private readonly TaskCompletionSource _start = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Whether the coordinator has said start.</summary>
    public bool IsOpen => _start.Task.IsCompleted;

    /// <summary>Lets the run begin.</summary>
    public void Start() => _start.TrySetResult();

    /// <inheritdoc/>
    public override async Task ReadyAsync(CancellationToken cancellationToken)
    {
        await connection.SendAsync(new ReadyMessage(), cancellationToken);
        options.Say?.Invoke("Ready; waiting for the others.");
        try
        {
            await _start.Task.WaitAsync(options.StartLimit, options.Time, cancellationToken);
        }
        catch (TimeoutException)
        {
            throw new SpreadException(SpreadError.TimeOut, $"The coordinator did not start the run within {options.StartLimit.TotalSeconds:0.#} s.");
        }

        options.Say?.Invoke("Started.");
    }
}
