namespace CoAP.NET.Proxy.Forwarding;

/// <summary>
/// Equal requests that are under way at a time are one: the first is sent on, and the others get its answer. It goes on as long as one of
/// them waits. Thread-safe.
/// </summary>
internal sealed class SingleFlight
{
    private readonly Lock _gate = new();
    private readonly Dictionary<RequestKey, Flight> _flights = [];

    /// <summary>Joins an equal request, or sends one.</summary>
    /// <param name="key">What equal requests have in common.</param>
    /// <param name="send">Sends; is given what ends it when nobody waits any more.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The answer, not to be changed, and whether somebody else had asked for it.</returns>
    public async Task<(CoapResult Result, bool IsShared)> RunAsync(
        RequestKey key, Func<CancellationToken, Task<CoapResult>> send, CancellationToken cancellationToken)
    {
        Flight flight;
        bool isShared;
        lock (_gate)
        {
            isShared = _flights.TryGetValue(key, out Flight? running);
            flight = running ?? (_flights[key] = new Flight());
            flight.Waiting++;
        }

        try
        {
            if (!isShared)
            {
                _ = FlyAsync(key, flight, send);
            }

            return (await flight.Answer.Task.WaitAsync(cancellationToken).ConfigureAwait(false), isShared);
        }
        finally
        {
            Leave(key, flight);
        }
    }

    private async Task FlyAsync(RequestKey key, Flight flight, Func<CancellationToken, Task<CoapResult>> send)
    {
        try
        {
            CoapResult result = await send(flight.Abandoned.Token).ConfigureAwait(false);
            End(key, flight);
            flight.Answer.TrySetResult(result);
        }
#pragma warning disable CA1031 // whatever went wrong is for those who wait
        catch (Exception exception)
#pragma warning restore CA1031
        {
            End(key, flight);
            flight.Answer.TrySetException(exception);

            // Those who wait may all have left.
            _ = flight.Answer.Task.Exception;
        }
        finally
        {
            flight.Abandoned.Dispose();
        }
    }

    // Whoever asks from now on asks anew.
    private void End(RequestKey key, Flight flight)
    {
        lock (_gate)
        {
            if (_flights.GetValueOrDefault(key) == flight)
            {
                _flights.Remove(key);
            }
        }
    }

    private void Leave(RequestKey key, Flight flight)
    {
        lock (_gate)
        {
            if (--flight.Waiting > 0 || flight.Answer.Task.IsCompleted || _flights.GetValueOrDefault(key) != flight)
            {
                return;
            }

            _flights.Remove(key);
        }

        flight.Abandoned.Cancel();
    }

    private sealed class Flight
    {
        public TaskCompletionSource<CoapResult> Answer { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public CancellationTokenSource Abandoned { get; } = new();

        public int Waiting { get; set; }
    }
}
