using CoAP.NET.Proxy.Upstreams;

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
    public async Task<(UpstreamAnswer Answer, bool IsShared)> RunAsync(
        RequestKey key, Func<CancellationToken, Task<UpstreamAnswer>> send, CancellationToken cancellationToken)
    {
        Flight flight;
        bool isShared;
        bool isTaken = false;
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

            UpstreamAnswer answer = await flight.Answer.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
            isTaken = !isShared;
            return (answer, isShared);
        }
        finally
        {
            Leave(key, flight);
            if (!isShared && !isTaken)
            {
                flight.LetStreamGo();
            }
        }
    }

    private async Task FlyAsync(RequestKey key, Flight flight, Func<CancellationToken, Task<UpstreamAnswer>> send)
    {
        try
        {
            UpstreamAnswer answer = await send(flight.Abandoned.Token).ConfigureAwait(false);
            End(key, flight);
            flight.Answer.TrySetResult(answer);
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
        public TaskCompletionSource<UpstreamAnswer> Answer { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public CancellationTokenSource Abandoned { get; } = new();

        public int Waiting { get; set; }

        /// <summary>Who began it, and would read its answer, has left: where that is a stream it ends, whenever it comes.</summary>
        public void LetStreamGo() => _ = LetStreamGoAsync();

        private async Task LetStreamGoAsync()
        {
            try
            {
                (await Answer.Task.ConfigureAwait(false)).LetGo();
            }
#pragma warning disable CA1031 // it is for those who wait
            catch (Exception)
#pragma warning restore CA1031
            {
            }
        }
    }
}
