using System.Runtime.CompilerServices;

namespace CoAP.NET.Endpoints;

/// <summary>
/// What runs for a client on a shared endpoint, to end it with the client while the endpoint goes on for others. A client with its own
/// endpoint has none. Thread-safe; the caller must hold no lock.
/// </summary>
internal sealed class ClientPendingOperations : IDisposable
{
    private const int TidiesFrom = 16;

    private readonly CancellationTokenSource _end = new();
    private readonly CancellationToken _ended;
    private readonly Lock _gate = new();

    // Also disposed ones, which are dropped when the list has twice as many as were left the last time.
    private List<CoapObservation> _observations = [];
    private int _tidiesAt = TidiesFrom;
    private bool _isDisposed;

    public ClientPendingOperations() => _ended = _end.Token;

    /// <summary>The number of observations that it keeps, with those that were disposed not long ago.</summary>
    public int Observations
    {
        get
        {
            lock (_gate)
            {
                return _observations.Count;
            }
        }
    }

    /// <summary>Runs a request, a ping or the beginning of an observation.</summary>
    /// <param name="state">Passed to <paramref name="start"/>.</param>
    /// <param name="start">Starts it, with the token that ends it.</param>
    /// <param name="cancellationToken">The token of the caller.</param>
    /// <returns>The result.</returns>
    /// <exception cref="ObjectDisposedException">The client was disposed meanwhile.</exception>
    public async Task<T> RunAsync<TState, T>(TState state, Func<TState, CancellationToken, Task<T>> start,
        CancellationToken cancellationToken)
    {
        using CancellationTokenSource? either = EitherOf(cancellationToken);
        try
        {
            return await start(state, either?.Token ?? _ended).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (either?.IsCancellationRequested ?? _ended.IsCancellationRequested)
        {
            throw EndOf(cancellationToken);
        }
    }

    /// <summary>Begins an observation, which is disposed with the client.</summary>
    /// <param name="endpoint">The shared endpoint.</param>
    /// <param name="request">The request.</param>
    /// <param name="options">The options of the observation; null for the defaults.</param>
    /// <param name="cancellationToken">The token of the caller.</param>
    /// <returns>The observation.</returns>
    /// <exception cref="ObjectDisposedException">The client was disposed meanwhile.</exception>
    public async Task<CoapObservation> ObserveAsync(CoapEndpoint endpoint, CoapRequest request, CoapObservationOptions? options,
        CancellationToken cancellationToken)
    {
        CoapObservation observation = await RunAsync(
            (endpoint, request, options), static (all, token) => all.endpoint.ObserveAsync(all.request, all.options, token),
            cancellationToken).ConfigureAwait(false);
        if (TryKeep(observation))
        {
            return observation;
        }

        await observation.DisposeAsync().ConfigureAwait(false);
        throw EndOf(CancellationToken.None);
    }

    /// <summary>Reads the responses to a group request.</summary>
    /// <param name="responses">The responses.</param>
    /// <param name="cancellationToken">The token of the caller.</param>
    /// <returns>The same responses.</returns>
    /// <exception cref="ObjectDisposedException">While enumerating: the client was disposed.</exception>
    public async IAsyncEnumerable<CoapGroupResponse> ReadAsync(
        IAsyncEnumerable<CoapGroupResponse> responses, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        using CancellationTokenSource? either = EitherOf(cancellationToken);
        IAsyncEnumerator<CoapGroupResponse> reader = responses.GetAsyncEnumerator(either?.Token ?? _ended);
        await using ConfiguredAsyncDisposable disposal = reader.ConfigureAwait(false);
        while (true)
        {
            try
            {
                if (!await reader.MoveNextAsync().ConfigureAwait(false))
                {
                    yield break;
                }
            }
            catch (OperationCanceledException) when (either?.IsCancellationRequested ?? _ended.IsCancellationRequested)
            {
                throw EndOf(cancellationToken);
            }

            yield return reader.Current;
        }
    }

    /// <summary>Ends everything that runs: requests fail, and observations are disposed.</summary>
    public void Dispose()
    {
        List<CoapObservation> observations;
        lock (_gate)
        {
            if (_isDisposed)
            {
                return;
            }

            _isDisposed = true;
            observations = _observations;
            _observations = [];
        }

        _end.Cancel();
        _end.Dispose();
        foreach (CoapObservation observation in observations)
        {
            observation.End();
        }
    }

    private bool TryKeep(CoapObservation observation)
    {
        lock (_gate)
        {
            if (_isDisposed)
            {
                return false;
            }

            if (_observations.Count >= _tidiesAt)
            {
                _observations.RemoveAll(static one => one.State == CoapObserveState.Cancelled);
                _tidiesAt = Math.Max(TidiesFrom, 2 * _observations.Count);
            }

            _observations.Add(observation);
            return true;
        }
    }

    private CancellationTokenSource? EitherOf(CancellationToken cancellationToken) =>
        cancellationToken.CanBeCanceled ? CancellationTokenSource.CreateLinkedTokenSource(_ended, cancellationToken) : null;

    private static Exception EndOf(CancellationToken cancellationToken) => cancellationToken.IsCancellationRequested
        ? new OperationCanceledException(cancellationToken)
        : new ObjectDisposedException(nameof(CoapClient), "The client was disposed before the response came.");
}
