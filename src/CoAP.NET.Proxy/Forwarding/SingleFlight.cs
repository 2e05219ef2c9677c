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
    public Task<(UpstreamAnswer Answer, bool IsShared)> RunAsync(
        RequestKey key, Func<CancellationToken, Task<UpstreamAnswer>> send, CancellationToken cancellationToken)
    {
        Flight flight;
        Task<UpstreamAnswer>? running = null;
        lock (_gate)
        {
            if (_flights.TryGetValue(key, out Flight? there))
            {
                flight = there;
                running = flight.Join();
            }
            else
            {
                flight = _flights[key] = new Flight();
            }

            flight.Waiting++;
        }

        return running is null ? LeadAsync(key, flight, send, cancellationToken) : FollowAsync(key, flight, running, cancellationToken);
    }

    // The first one waits for the answer itself, without a detour over another thread, and tells those who joined.
    private async Task<(UpstreamAnswer Answer, bool IsShared)> LeadAsync(
        RequestKey key, Flight flight, Func<CancellationToken, Task<UpstreamAnswer>> send, CancellationToken cancellationToken)
    {
        CancellationTokenRegistration leaving = cancellationToken.CanBeCanceled
            ? cancellationToken.UnsafeRegister(_ => Leave(key, flight), null)
            : default;
        UpstreamAnswer answer;
        try
        {
            answer = await send(flight.Abandoned.Token).ConfigureAwait(false);
            End(key, flight)?.TrySetResult(answer);
        }
#pragma warning disable CA1031 // whatever went wrong is for those who wait
        catch (Exception exception)
#pragma warning restore CA1031
        {
            if (End(key, flight) is { } others)
            {
                others.TrySetException(exception);

                // They may all have left.
                _ = others.Task.Exception;
            }

            cancellationToken.ThrowIfCancellationRequested();
            throw;
        }
        finally
        {
            leaving.Unregister();
        }

        if (cancellationToken.IsCancellationRequested)
        {
            // Others waited on, but a stream is for who has left: nobody reads it.
            answer.LetGo();
            cancellationToken.ThrowIfCancellationRequested();
        }

        return (answer, false);
    }

    private async Task<(UpstreamAnswer Answer, bool IsShared)> FollowAsync(
        RequestKey key, Flight flight, Task<UpstreamAnswer> running, CancellationToken cancellationToken)
    {
        try
        {
            return (await running.WaitAsync(cancellationToken).ConfigureAwait(false), true);
        }
        finally
        {
            Leave(key, flight);
        }
    }

    // Whoever asks from now on asks anew.
    private TaskCompletionSource<UpstreamAnswer>? End(RequestKey key, Flight flight)
    {
        lock (_gate)
        {
            flight.IsOver = true;
            if (_flights.GetValueOrDefault(key) == flight)
            {
                _flights.Remove(key);
            }

            return flight.Others;
        }
    }

    private void Leave(RequestKey key, Flight flight)
    {
        lock (_gate)
        {
            if (--flight.Waiting > 0 || flight.IsOver || _flights.GetValueOrDefault(key) != flight)
            {
                return;
            }

            _flights.Remove(key);
        }

        flight.Abandoned.Cancel();
    }

    // Fields are guarded by the lock of all flights.
    private sealed class Flight
    {
        /// <summary>Tells those who joined; null while the first one is alone.</summary>
        public TaskCompletionSource<UpstreamAnswer>? Others { get; private set; }

        public CancellationTokenSource Abandoned { get; } = new();

        public int Waiting { get; set; }

        public bool IsOver { get; set; }

        public Task<UpstreamAnswer> Join() =>
            (Others ??= new TaskCompletionSource<UpstreamAnswer>(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
    }
}
