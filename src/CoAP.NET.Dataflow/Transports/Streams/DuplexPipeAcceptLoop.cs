namespace CoAP.NET.Transports.Streams;

/// <summary>Accepts connections with a callback of the application.</summary>
internal sealed class DuplexPipeAcceptLoop(NonListeningTransportEngine engine, Func<CancellationToken, ValueTask<CoapDuplexPipe>> accept)
    : AcceptLoop(engine.Context, engine.Stopping)
{
    /// <summary>
    /// Waits for a pipe until the token is cancelled. A pipe that arrives later is closed, so a callback that ignores its token leaks
    /// nothing.
    /// </summary>
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

    protected override async ValueTask AcceptAsync(CancellationToken cancellationToken)
    {
        CoapDuplexPipe pipe = await WithinAsync(accept(cancellationToken), cancellationToken).ConfigureAwait(false);
        engine.Accept(pipe);
    }

    protected override void Report(Exception exception) => TcpLog.AcceptCallbackFailed(engine.Context.Logger, exception);

    private static async Task CloseLateAsync(Task<CoapDuplexPipe> task)
    {
        try
        {
            CoapDuplexPipe late = await task.ConfigureAwait(false);
            late.Abort?.Invoke();
            await late.Input.CompleteAsync().ConfigureAwait(false);
            await late.Output.CompleteAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // no caller waits for it any more
        catch (Exception)
#pragma warning restore CA1031
        {
            // It failed too, or cannot be closed.
        }
    }
}
