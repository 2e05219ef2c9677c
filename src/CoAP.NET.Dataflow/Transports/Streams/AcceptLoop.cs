namespace CoAP.NET.Transports;

/// <summary>
/// Accepts connections one after another until the transport closes, whatever goes wrong meanwhile: a server that is up and deaf is worse.
/// What says where the next one comes from derives from it.
/// </summary>
/// <param name="context">The endpoint.</param>
/// <param name="stopping">Cancelled when the transport closes, before what it listens on is closed.</param>
internal abstract class AcceptLoop(ICoapTransportContext context, CancellationToken stopping)
{
    // A failure may last, as where no file descriptor is left.
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(100);

    private readonly OccasionalLog _log = new(context.TimeProvider);

    /// <summary>Accepts until the transport closes. Never throws.</summary>
    public async Task RunAsync()
    {
        // The next one may be there at once for ever; the caller starts the transport meanwhile.
        await default(PoolTurn);
        while (!stopping.IsCancellationRequested)
        {
            try
            {
                await AcceptAsync(stopping).ConfigureAwait(false);
            }
#pragma warning disable CA1031 // what accepts may be a callback of the user and throw anything
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

    /// <summary>Waits for the next connection and has it begin.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    protected abstract ValueTask AcceptAsync(CancellationToken cancellationToken);

    /// <summary>Whether only the peer failed, so that the next connection may be accepted at once.</summary>
    /// <param name="exception">What was thrown.</param>
    protected virtual bool IsOfPeer(Exception exception) => false;

    /// <summary>Logs a failure; called at most once a minute.</summary>
    /// <param name="exception">What was thrown.</param>
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
