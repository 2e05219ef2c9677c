using CoAP.NET.Composition;
using CoAP.NET.Composition.Stages;

namespace CoAP.NET.Endpoints;

/// <summary>
/// Stops an endpoint in order: what runs finishes, what is inside of the mesh passes it to the end, and only then sockets close. What takes
/// longer than the grace period is refused or abandoned.
/// </summary>
internal sealed class EndpointStop(EndpointCore core)
{
    // The time for cancelled handlers to finish their synchronous part.
    private static readonly TimeSpan s_longestSettling = TimeSpan.FromSeconds(1);

    private bool _isCancelled;

    /// <summary>Stops the endpoint, which already refuses requests that arrive from now on.</summary>
    /// <param name="gracePeriod">The grace period.</param>
    /// <param name="cut">Ends the grace period early.</param>
    public async Task RunAsync(TimeSpan gracePeriod, CancellationToken cut)
    {
        using StopDeadline time = new(core.Environment.TimeProvider, gracePeriod, cut);
        core.Served.Stop();
        await FinishHandlersAsync(time).ConfigureAwait(false);
        await core.Peers.ReleaseAllAsync(time.Left, time.GraceEnded).ConfigureAwait(false);

        // Requests that were inside of blocks of the application reach their handlers now.
        await EachAsync(pipeline => pipeline.EndReceivingAsync(time)).ConfigureAwait(false);
        core.FailRequests();
        await FinishHandlersAsync(time).ConfigureAwait(false);
        await CancelHandlersAsync().ConfigureAwait(false);
        await EachAsync(pipeline => pipeline.EndServingAsync(time)).ConfigureAwait(false);

        core.State.EndGrace();
        await EachAsync(static pipeline => pipeline.EndAnsweringAsync()).ConfigureAwait(false);
        foreach (CoapShardPipeline pipeline in core.Pipelines)
        {
            pipeline.MessagingIn.RefuseUnanswered();
        }

        core.Observed.Stop();
        core.EndExchanges();
        core.GroupRequests.EndAll("The endpoint was stopped while it waited for the answers of a group.");
        core.Peers.CloseStreams();
        await EachAsync(pipeline => pipeline.EndSendingAsync(time)).ConfigureAwait(false);

        core.Peers.CloseSessions();
        await core.Transports.CloseAsync(core.Face.ReportClosing).ConfigureAwait(false);
        foreach (ShardTimerDriver clock in core.Clocks)
        {
            clock.Dispose();
        }

        core.Diagnostics.Close();
        await EachAsync(pipeline => pipeline.EndAsync(time)).ConfigureAwait(false);
        foreach (Exception error in core.Pipelines.SelectMany(static pipeline => pipeline.Errors))
        {
            core.Face.ReportClosing(error);
        }

        core.WipeSecrets();
    }

    private Task EachAsync(Func<CoapShardPipeline, Task> step) => Task.WhenAll(core.Pipelines.Select(step));

    // Waits for the requests that run, and cancels them at the end of the grace period.
    private async Task FinishHandlersAsync(StopDeadline time)
    {
        if (!_isCancelled && !await time.InGraceAsync(core.Served.WhenIdleAsync()).ConfigureAwait(false))
        {
            EndpointLog.GraceEnded(core.Environment.Logger, core.Served.Count);
            await CancelHandlersAsync().ConfigureAwait(false);
        }
    }

    // While responses can still leave: these clients get 5.03 and a time to retry, instead of waiting for a response that will never come.
    private async Task CancelHandlersAsync()
    {
        if (_isCancelled)
        {
            return;
        }

        _isCancelled = true;
        try
        {
            core.Served.Abort();
        }
        catch (AggregateException exception)
        {
            core.Face.ReportClosing(exception);
        }

        foreach (CoapShardPipeline pipeline in core.Pipelines)
        {
            pipeline.Resource.RefuseUnanswered();
        }

        // The library refuses a handler in its synchronous part when it first awaits or returns. If the sockets closed before, its client
        // would get no response.
        try
        {
            await core.Served.WhenAnsweredAsync().WaitAsync(s_longestSettling, core.Environment.TimeProvider).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            // It computes or blocks for longer than anything waits.
        }
    }
}
