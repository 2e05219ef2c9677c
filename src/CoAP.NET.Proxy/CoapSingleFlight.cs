namespace CoAP.NET.Proxy;

/// <summary>Combines equal concurrent requests: it sends the first one, and the others get its response (RFC 8075 section 8.1).</summary>
/// <remarks>
/// The request continues as long as one caller waits. <see cref="CoapProxy"/> and the proxies between HTTP and CoAP use it; custom gateways
/// can do the same. Thread-safe.
/// </remarks>
/// <typeparam name="TKey">The key of equal requests; it must include everything that the response depends on.</typeparam>
/// <typeparam name="TAnswer">The response. All callers get the same object; do not change it.</typeparam>
/// <param name="letGo">Releases a response whose caller no longer waits, for example by closing a stream; null for nothing. Other callers
/// may still get the response.</param>
internal sealed class CoapSingleFlight<TKey, TAnswer>(Action<TAnswer>? letGo = null)
    where TKey : notnull
{
    // Enough for the concurrent requests under load.
    private const int MaxSpare = 256;

    private readonly Lock _gate = new();
    private readonly Dictionary<TKey, Flight> _flights = [];

    // Completed flights, for reuse.
    private Flight? _spare;
    private int _spareCount;

    /// <summary>Joins an equal request, or sends a new one.</summary>
    /// <param name="key">The key of equal requests.</param>
    /// <param name="send">Sends the request. Its token is canceled when no caller waits any longer.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, and whether it belongs to the request of another caller.</returns>
    /// <exception cref="OperationCanceledException">The caller canceled.</exception>
    public Task<(TAnswer Answer, bool IsShared)> RunAsync(
        TKey key, Func<CancellationToken, Task<TAnswer>> send, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(send);
        Flight flight = Enter(key, out Task<TAnswer>? running);
        return running is null ? LeadAsync(flight, send, cancellationToken) : JoinAsync(flight, running, cancellationToken);
    }

    /// <summary>Joins an equal request, or starts one.</summary>
    /// <param name="key">The key of equal requests.</param>
    /// <param name="running">The response of the joined request, for <see cref="FollowAsync"/>; null for a new request: the caller sends
    /// it, and then calls <see cref="End"/> or <see cref="Fail"/>.</param>
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

    /// <summary>Waits for the response of a joined request.</summary>
    /// <param name="flight">The request.</param>
    /// <param name="running">The task from <see cref="Enter"/>.</param>
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

    /// <summary>Completes a request with its response and notifies the callers that joined. Later calls start a new request.</summary>
    /// <param name="flight">The request, which the caller started and no longer uses.</param>
    /// <param name="answer">The answer.</param>
    /// <param name="mayReuse">Whether the cancellation token of the request is unused from now on.</param>
    /// <param name="cancellationToken">Whether the caller still waits.</param>
    /// <exception cref="OperationCanceledException">The caller canceled.</exception>
    internal void End(Flight flight, TAnswer answer, bool mayReuse, CancellationToken cancellationToken)
    {
        Finish(flight, mayReuse)?.TrySetResult(answer);
        if (cancellationToken.IsCancellationRequested)
        {
            // Others continued to wait, but the stream belongs to the caller that left and has no reader.
            letGo?.Invoke(answer);
            cancellationToken.ThrowIfCancellationRequested();
        }
    }

    /// <summary>Fails a request and notifies the callers that joined.</summary>
    /// <param name="flight">The request, which the caller started and no longer uses.</param>
    /// <param name="exception">The reason.</param>
    internal void Fail(Flight flight, Exception exception)
    {
        if (Finish(flight, mayReuse: false) is { } others)
        {
            others.TrySetException(exception);

            // All of them may have left.
            _ = others.Task.Exception;
        }
    }

    private static async Task<(TAnswer Answer, bool IsShared)> JoinAsync(
        Flight flight, Task<TAnswer> running, CancellationToken cancellationToken) =>
        (await FollowAsync(flight, running, cancellationToken).ConfigureAwait(false), true);

    // The first caller awaits the response itself, without a detour over another thread, and notifies the callers that joined.
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
#pragma warning disable CA1031 // the waiting callers get every failure
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

    /// <summary>
    /// A pending request. The lock of all flights guards its fields. Its cancellation costs more than the request; a flight without joiners
    /// is therefore reused.
    /// </summary>
    internal sealed class Flight(CoapSingleFlight<TKey, TAnswer> all)
    {
        private CancellationTokenRegistration _leaving;
        private bool _canLeave;

        public TKey Key { get; private set; } = default!;

        /// <summary>Notifies the callers that joined; null while the first caller is alone.</summary>
        public TaskCompletionSource<TAnswer>? Others { get; private set; }

        /// <summary>Canceled when no caller waits any longer.</summary>
        public CancellationToken Abandoned => Source.Token;

        public int Waiting { get; set; }

        public bool IsOver { get; set; }

        /// <summary>The next reusable flight.</summary>
        public Flight? Next { get; set; }

        private CancellationTokenSource Source { get; } = new();

        public void Begin(TKey key)
        {
            Key = key;
            Waiting = 0;
            IsOver = false;
        }

        /// <summary>Lets the first caller, which does not use <see cref="FollowAsync"/>, leave when the token is canceled.</summary>
        /// <param name="cancellationToken">The token of the first caller.</param>
        public void LeaveWith(CancellationToken cancellationToken)
        {
            if (cancellationToken.CanBeCanceled)
            {
                _canLeave = true;
                _leaving = cancellationToken.UnsafeRegister(static left => ((Flight)left!).Leave(), this);
            }
        }

        /// <summary>Ends <see cref="LeaveWith"/>: the first caller has its response.</summary>
        /// <returns>False if the caller has left, or is leaving now.</returns>
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
