using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Running;

namespace CoAP.NET.Load.Workers;

/// <summary>The gate of a worker's run: reports to the coordinator that the run is ready, and opens at its start.</summary>
internal sealed class WorkerStartGate(WorkerConnection connection, LoadPlan plan, WorkerOptions options) : StartGate
{
    private readonly TimeSpan _limit = options.StartLimit + PlanTime.Of(plan.RampSeconds);
    private readonly TaskCompletionSource _start = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public void Start() => _start.TrySetResult();

    /// <inheritdoc/>
    public override async Task ReadyAsync(CancellationToken cancellationToken)
    {
        await connection.SendAsync(new ReadyMessage(), cancellationToken);
        options.Say?.Invoke("Ready; waiting for the others.");
        try
        {
            await _start.Task.WaitAsync(_limit, options.Time, cancellationToken);
        }
        catch (TimeoutException)
        {
            throw new DistributedRunException(
                WorkerProtocolErrorCodes.TimeOut, $"The coordinator did not start the run within {_limit.TotalSeconds:0.#} s.");
        }

        options.Say?.Invoke("Started.");
    }
}
