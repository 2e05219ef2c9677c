using System.Runtime.CompilerServices;

namespace CoAP.NET.Proxy;

/// <summary>
/// Equal requests that are under way at a time are one: the first is sent on, and the others get its answer (RFC 8075 section 8.1). It goes
/// on as long as one of them waits. <see cref="CoapProxy"/> and the proxies between HTTP and CoAP use it; a gateway of your own can do the
/// same. Thread-safe.
/// </summary>
/// <typeparam name="TKey">What equal requests have in common; all that the answer depends on.</typeparam>
/// <typeparam name="TAnswer">The answer, which all of them get and nobody may change.</typeparam>
/// <param name="letGo">What becomes of an answer that the request it was asked for does not wait for any more, such as closing a stream;
/// null for nothing. Others may have it nevertheless.</param>
public sealed class CoapSingleFlight<TKey, TAnswer>(Action<TAnswer>? letGo = null)
    where TKey : notnull
{
    private readonly Lock _gate = new();
    private readonly Dictionary<TKey, Flight> _flights = [];

    /// <summary>Joins an equal request, or sends one.</summary>
    /// <param name="key">What equal requests have in common.</param>
    /// <param name="send">Sends; is given what ends it when nobody waits any more.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The answer, and whether it was asked for by another request.</returns>
    /// <exception cref="OperationCanceledException">Nobody waits any more.</exception>
    public Task<(TAnswer Answer, bool IsShared)> RunAsync(
        TKey key, Func<CancellationToken, Task<TAnswer>> send, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(send);
        return RunAsync(key, send, static (given, token) => new ValueTask<TAnswer>(given(token)), cancellationToken).AsTask();
    }

    /// <summary>Joins an equal request, or sends one, without an object for what sending needs.</summary>
    /// <typeparam name="TState">What sending needs.</typeparam>
    /// <param name="key">What equal requests have in common.</param>
    /// <param name="state">What sending needs.</param>
    /// <param name="send">Sends; is given what ends it when nobody waits any more.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The answer, and whether it was asked for by another request. To be awaited once.</returns>
    internal ValueTask<(TAnswer Answer, bool IsShared)> RunAsync<TState>(
        TKey key, TState state, Func<TState, CancellationToken, ValueTask<TAnswer>> send, CancellationToken cancellationToken)
    {
        Flight flight;
        Task<TAnswer>? running = null;
        lock (_gate)
        {
            if (_flights.TryGetValue(key, out Flight? there))
            {
                flight = there;
                running = flight.Join();
            }
            else
            {
                flight = _flights[key] = new Flight(this, key);
            }

            flight.Waiting++;
        }

        return running is null
            ? LeadAsync(flight, state, send, cancellationToken)
            : new ValueTask<(TAnswer Answer, bool IsShared)>(FollowAsync(flight, running, cancellationToken));
    }

    // The first one waits for the answer itself, without a detour over another thread, and tells those who joined.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<(TAnswer Answer, bool IsShared)> LeadAsync<TState>(
        Flight flight, TState state, Func<TState, CancellationToken, ValueTask<TAnswer>> send, CancellationToken cancellationToken)
    {
        CancellationTokenRegistration leaving = default;
        TAnswer answer;
        try
        {
            ValueTask<TAnswer> asked = send(state, flight.Abandoned.Token);
            if (!asked.IsCompleted && cancellationToken.CanBeCanceled)
            {
                leaving = cancellationToken.UnsafeRegister(static left => ((Flight)left!).Leave(), flight);
            }

            answer = await asked.ConfigureAwait(false);
            End(flight)?.TrySetResult(answer);
        }
#pragma warning disable CA1031 // whatever went wrong is for those who wait
        catch (Exception exception)
#pragma warning restore CA1031
        {
            if (End(flight) is { } others)
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
            letGo?.Invoke(answer);
            cancellationToken.ThrowIfCancellationRequested();
        }

        return (answer, false);
    }

    private static async Task<(TAnswer Answer, bool IsShared)> FollowAsync(
        Flight flight, Task<TAnswer> running, CancellationToken cancellationToken)
    {
        try
        {
            return (await running.WaitAsync(cancellationToken).ConfigureAwait(false), true);
        }
        finally
        {
            flight.Leave();
        }
    }

    // Whoever asks from now on asks anew.
    private TaskCompletionSource<TAnswer>? End(Flight flight)
    {
        lock (_gate)
        {
            flight.IsOver = true;
            if (_flights.GetValueOrDefault(flight.Key) == flight)
            {
                _flights.Remove(flight.Key);
            }

            return flight.Others;
        }
    }

    // Fields are guarded by the lock of all flights.
    private sealed class Flight(CoapSingleFlight<TKey, TAnswer> all, TKey key)
    {
        public TKey Key => key;

        /// <summary>Tells those who joined; null while the first one is alone.</summary>
        public TaskCompletionSource<TAnswer>? Others { get; private set; }

        public CancellationTokenSource Abandoned { get; } = new();

        public int Waiting { get; set; }

        public bool IsOver { get; set; }

        public void Leave()
        {
            lock (all._gate)
            {
                if (--Waiting > 0 || IsOver || all._flights.GetValueOrDefault(key) != this)
                {
                    return;
                }

                all._flights.Remove(key);
            }

            Abandoned.Cancel();
        }

        public Task<TAnswer> Join() =>
            (Others ??= new TaskCompletionSource<TAnswer>(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
    }
}
