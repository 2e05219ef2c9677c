namespace CoAP.NET.Observing.Client;

/// <summary>
/// Runs one asynchronous task of an observation, such as the search for its peer. A new start cancels the previous task. The result is
/// handled as an event of the observation. Use it only on the thread that processes the events of the observation.
/// </summary>
/// <typeparam name="T">The type of the result.</typeparam>
/// <param name="observation">The observation.</param>
/// <param name="describe">Describes an unexpected exception.</param>
/// <param name="onEnded">Handles the result or the error, unless the task was cancelled or replaced.</param>
#pragma warning disable CA1001 // the token source is disposed with the work, which ends with the observation at the latest
internal sealed class ReplaceableObservationTask<T>(ClientObservation observation, Func<ClientObservation, Exception, string> describe,
    Action<ClientObservation, T?, CoapException?, long> onEnded)
#pragma warning restore CA1001
    where T : class
{
    private CancellationTokenSource? _running;

    public bool IsRunning => _running is not null;

    /// <summary>Cancels the previous task.</summary>
    /// <returns>The token of the new task, for which <see cref="Finish"/> or <see cref="Await"/> must follow.</returns>
    public CancellationToken Start()
    {
        Cancel();
        _running = new CancellationTokenSource();
        return _running.Token;
    }

    public void Finish()
    {
        _running?.Dispose();
        _running = null;
    }

    /// <summary>Raises an event when the new task ends.</summary>
    public void Await(ValueTask<T> work) => _ = AwaitAsync(work, _running!);

    public void Cancel()
    {
        _running?.Cancel();
        Finish();
    }

    private async Task AwaitAsync(ValueTask<T> work, CancellationTokenSource running)
    {
        T? result = null;
        CoapException? error = null;
        try
        {
            result = await work.ConfigureAwait(false);
        }
#pragma warning disable CA1031 // the observation continues after any error, such as one of a user's resolver
        catch (Exception exception)
#pragma warning restore CA1031
        {
            error = exception as CoapException ?? new CoapException(describe(observation, exception), exception);
        }

        observation.Post(new ClientObservationInput
        {
            Handle = (observation, _, now) =>
            {
                if (ReferenceEquals(_running, running))
                {
                    Finish();
                    onEnded(observation, result, error, now);
                }
            },
        });
    }
}
