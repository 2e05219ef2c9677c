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
    // As many as are under way at a time where much is asked for.
    private const int MaxSpare = 256;

    private readonly Lock _gate = new();
    private readonly Dictionary<TKey, Flight> _flights = [];

    // Flights that are over, for the next requests.
    private Flight? _spare;
    private int _spareCount;

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
        Flight flight = Enter(key, out Task<TAnswer>? running);
        return running is null ? LeadAsync(flight, send, cancellationToken) : JoinAsync(flight, running, cancellationToken);
    }

    /// <summary>Joins an equal request, or begins one.</summary>
    /// <param name="key">What equal requests have in common.</param>
    /// <param name="running">The answer of the request that was joined, for <see cref="FollowAsync"/>; null where there was none: the
    /// caller sends, and then calls <see cref="End"/> or <see cref="Fail"/>.</param>
    /// <returns>The request.</returns>
    internal Flight Enter(TKey key, out Task<TAnswer>? running)
    {
        lock (_gate)
        {
            running = null;
            if (_flights.TryGetValue(key, out Flight? flight))
            {
                running = flight.Join();
            }
            else
            {
                flight = TakeSpare();
                flight.Begin(key);
                _flights[key] = flight;
            }

            flight.Waiting++;
            return flight;
        }
    }

    /// <summary>Waits for the answer of a request that was joined.</summary>
    /// <param name="flight">The request.</param>
    /// <param name="running">What <see cref="Enter"/> gave.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The answer.</returns>
    internal static async Task<TAnswer> FollowAsync(Flight flight, Task<TAnswer> running, CancellationToken cancellationToken)
    {
        try
        {
            return await running.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            flight.Leave();
        }
    }

    /// <summary>The answer of a request is there: tells those who joined it. Whoever asks from now on asks anew.</summary>
    /// <param name="flight">The request, which the caller began and does not use any more.</param>
    /// <param name="answer">The answer.</param>
    /// <param name="mayReuse">Whether nobody holds the token that ends the request any more.</param>
    /// <param name="cancellationToken">Whether the caller waits still.</param>
    /// <exception cref="OperationCanceledException">The caller does not wait any more.</exception>
    internal void End(Flight flight, TAnswer answer, bool mayReuse, CancellationToken cancellationToken)
    {
        Finish(flight, mayReuse)?.TrySetResult(answer);
        if (cancellationToken.IsCancellationRequested)
        {
            // Others waited on, but a stream is for who has left: nobody reads it.
            letGo?.Invoke(answer);
            cancellationToken.ThrowIfCancellationRequested();
        }
    }

    /// <summary>There is no answer: tells those who joined.</summary>
    /// <param name="flight">The request, which the caller began and does not use any more.</param>
    /// <param name="exception">Why.</param>
    internal void Fail(Flight flight, Exception exception)
    {
        if (Finish(flight, mayReuse: false) is { } others)
        {
            others.TrySetException(exception);

            // They may all have left.
            _ = others.Task.Exception;
        }
    }

    private static async Task<(TAnswer Answer, bool IsShared)> JoinAsync(
        Flight flight, Task<TAnswer> running, CancellationToken cancellationToken) =>
        (await FollowAsync(flight, running, cancellationToken).ConfigureAwait(false), true);

    // The first one waits for the answer itself, without a detour over another thread, and tells those who joined.
    private async Task<(TAnswer Answer, bool IsShared)> LeadAsync(
        Flight flight, Func<CancellationToken, Task<TAnswer>> send, CancellationToken cancellationToken)
    {
        TAnswer answer;
        try
        {
            Task<TAnswer> asked = send(flight.Abandoned);
            if (!asked.IsCompleted)
            {
                flight.LeaveWith(cancellationToken);
            }

            answer = await asked.ConfigureAwait(false);
        }
#pragma warning disable CA1031 // whatever went wrong is for those who wait
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Fail(flight, exception);
            cancellationToken.ThrowIfCancellationRequested();
            throw;
        }

        End(flight, answer, mayReuse: false, cancellationToken);
        return (answer, false);
    }

    private TaskCompletionSource<TAnswer>? Finish(Flight flight, bool mayReuse)
    {
        bool isFree = flight.StopLeaving();
        lock (_gate)
        {
            flight.IsOver = true;
            if (_flights.GetValueOrDefault(flight.Key) == flight)
            {
                _flights.Remove(flight.Key);
            }

            TaskCompletionSource<TAnswer>? others = flight.Others;
            if (mayReuse && isFree && others is null && !flight.Abandoned.IsCancellationRequested && _spareCount < MaxSpare)
            {
                flight.Begin(default!);
                flight.Next = _spare;
                _spare = flight;
                _spareCount++;
            }

            return others;
        }
    }

    private Flight TakeSpare()
    {
        if (_spare is not { } spare)
        {
            return new Flight(this);
        }

        _spare = spare.Next;
        _spareCount--;
        spare.Next = null;
        return spare;
    }

    /// <summary>A request that is under way. Its fields are guarded by the lock of all flights. What it needs to be ended costs more than
    /// the request, so one that nobody joined is used again.</summary>
    /// <param name="all">All flights.</param>
    internal sealed class Flight(CoapSingleFlight<TKey, TAnswer> all)
    {
        private CancellationTokenRegistration _leaving;
        private bool _canLeave;

        public TKey Key { get; private set; } = default!;

        /// <summary>Tells those who joined; null while the first one is alone.</summary>
        public TaskCompletionSource<TAnswer>? Others { get; private set; }

        /// <summary>Ends the request when nobody waits any more.</summary>
        public CancellationToken Abandoned => Source.Token;

        public int Waiting { get; set; }

        public bool IsOver { get; set; }

        /// <summary>The next one that can be used again.</summary>
        public Flight? Next { get; set; }

        private CancellationTokenSource Source { get; } = new();

        public void Begin(TKey key)
        {
            Key = key;
            Waiting = 0;
            IsOver = false;
        }

        /// <summary>The first one, who does not wait by <see cref="FollowAsync"/>, leaves when this is canceled.</summary>
        /// <param name="cancellationToken">What ends its waiting.</param>
        public void LeaveWith(CancellationToken cancellationToken)
        {
            if (cancellationToken.CanBeCanceled)
            {
                _canLeave = true;
                _leaving = cancellationToken.UnsafeRegister(static left => ((Flight)left!).Leave(), this);
            }
        }

        /// <summary>The first one has its answer.</summary>
        /// <returns>False where it has left, or is leaving just now.</returns>
        public bool StopLeaving()
        {
            bool isFree = !_canLeave || _leaving.Unregister();
            _canLeave = false;
            _leaving = default;
            return isFree;
        }

        public void Leave()
        {
            lock (all._gate)
            {
                if (--Waiting > 0 || IsOver || all._flights.GetValueOrDefault(Key) != this)
                {
                    return;
                }

                all._flights.Remove(Key);
            }

            Source.Cancel();
        }

        public Task<TAnswer> Join() =>
            (Others ??= new TaskCompletionSource<TAnswer>(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
    }
}
