namespace CoAP.NET.Transports;

/// <summary>Accepts connections one after another by a callback of the user, until the engine stops.</summary>
internal sealed class PipeAcceptLoop(HostEngine engine, Func<CancellationToken, ValueTask<CoapDuplexPipe>> accept)
{
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(100);

    private readonly OccasionalLog _log = new(engine.Context.TimeProvider);

    // Taken once: the source behind it is disposed when the engine has closed.
    private readonly CancellationToken _stopping = engine.Stopping;

    /// <summary>Waits for a pipe no longer than until the token is cancelled. A pipe that comes later is closed, so that a callback that ignores its token leaks nothing.</summary>
    public static async Task<CoapDuplexPipe> WithinAsync(ValueTask<CoapDuplexPipe> pending, CancellationToken cancellationToken)
    {
        if (pending.IsCompletedSuccessfully)
        {
            return pending.Result;
        }

        Task<CoapDuplexPipe> task = pending.AsTask();
        try
        {
            return await task.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!task.IsCompleted)
        {
            _ = CloseLateAsync(task);
            throw;
        }
    }

    /// <summary>Accepts until the engine stops. Never throws.</summary>
    public async Task RunAsync()
    {
        // The callback may complete synchronously for ever; the caller starts the transport meanwhile.
        await default(PoolTurn);
        while (!_stopping.IsCancellationRequested)
        {
            try
            {
                CoapDuplexPipe pipe = await WithinAsync(accept(_stopping), _stopping).ConfigureAwait(false);
                engine.Accept(new PipeLink(pipe, pipe.Abort), new CoapAcceptedConnection { Remote = pipe.Remote, Local = pipe.Local, Identity = pipe.Identity });
            }
#pragma warning disable CA1031 // the callback is the user's and may throw anything; a server that is up and deaf is worse
            catch (Exception exception)
#pragma warning restore CA1031
            {
                if (_stopping.IsCancellationRequested)
                {
                    return;
                }

                Report(exception);
                await PauseAsync().ConfigureAwait(false);
            }
        }
    }

    private static async Task CloseLateAsync(Task<CoapDuplexPipe> task)
    {
        try
        {
            CoapDuplexPipe late = await task.ConfigureAwait(false);
            late.Abort?.Invoke();
            await late.Input.CompleteAsync().ConfigureAwait(false);
            await late.Output.CompleteAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // nobody waits for it any more
        catch (Exception)
#pragma warning restore CA1031
        {
            // It failed, too, or cannot be closed.
        }
    }

    private void Report(Exception exception)
    {
        engine.Context.Counters.Add(CoapCounter.AcceptFailures);
        if (!_log.IsDue())
        {
            return;
        }

        try
        {
            Log.AcceptCallbackFailed(engine.Context.Logger, exception);
        }
#pragma warning disable CA1031 // a logger is foreign code
        catch (Exception)
#pragma warning restore CA1031
        {
            engine.Context.Counters.Add(CoapCounter.StageErrors);
        }
    }

    private async Task PauseAsync()
    {
        try
        {
            await Task.Delay(s_pause, engine.Context.TimeProvider, _stopping).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // The engine stops.
        }
    }
}
