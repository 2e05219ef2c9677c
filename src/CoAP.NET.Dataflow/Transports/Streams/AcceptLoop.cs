namespace CoAP.NET.Transports.Streams;

/// <summary>
/// Accepts connections one after another until the transport closes, despite all failures: a server that runs but accepts nothing is worse.
/// Derived classes define the source of connections.
/// </summary>
/// <param name="context">The endpoint.</param>
/// <param name="stopping">Cancelled when the transport closes, before its listening sockets are closed.</param>
internal abstract class AcceptLoop(ICoapTransportContext context, CancellationToken stopping)
{
    // A failure may last, for example without free file descriptors.
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(100);

    private readonly RateLimitedLog _log = new(context.TimeProvider);

    /// <summary>Accepts until the transport closes. Never throws.</summary>
    public async Task RunAsync()
    {
        // Connections may always be ready at once, and meanwhile the caller must start the transport.
        await default(YieldToPool);
        while (!stopping.IsCancellationRequested)
        {
            try
            {
                await AcceptAsync(stopping).ConfigureAwait(false);
            }
#pragma warning disable CA1031 // the accepting code may be a callback of the application and throw anything
            catch (Exception exception)
#pragma warning restore CA1031
            {
                if (!stopping.IsCancellationRequested && !IsOfPeer(exception))
                {
                    await OnFailedAsync(exception).ConfigureAwait(false);
                }
            }
        }
    }

    /// <summary>Waits for the next connection and starts it.</summary>
    protected abstract ValueTask AcceptAsync(CancellationToken cancellationToken);

    /// <summary>Whether only the peer failed, so the next connection may be accepted at once.</summary>
    /// <param name="exception">The exception.</param>
    protected virtual bool IsOfPeer(Exception exception) => false;

    /// <summary>Logs a failure; called at most once per minute.</summary>
    /// <param name="exception">The exception.</param>
    protected abstract void Report(Exception exception);

    private async Task OnFailedAsync(Exception exception)
    {
        context.Counters.Add(CoapCounter.AcceptFailures);
        if (_log.IsDue())
        {
            Report(exception);
        }

        try
        {
            await Task.Delay(s_pause, context.TimeProvider, stopping).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // The transport closes.
        }
    }
}
