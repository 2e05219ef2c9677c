using CoAP.NET.Connecting;
using CoAP.NET.Exchanges;
using CoAP.NET.RequestSteps;

namespace CoAP.NET.Observing.Client;

/// <summary>
/// The observations of an endpoint by target: equal targets share a registration (RFC 7641 section 3.1). It counts them by state for
/// metrics, and logs which ones lost their registration and which ones are back. Thread-safe; the caller must hold no lock.
/// </summary>
/// <param name="shards">The shards; the observations are distributed over their wheels and locks.</param>
/// <param name="context">The parts of the endpoint that observations use.</param>
internal sealed class ClientObservations(IReadOnlyList<CoapShard> shards, ClientObservationContext context)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<ObservationTarget, ClientObservation> _live = [];
    private readonly long[] _states = new long[(int)CoapObserveState.Cancelled + 1];
    private readonly RateLimitedLog _losses = new(shards[0].Environment.TimeProvider);
    private readonly RateLimitedLog _recoveries = new(shards[0].Environment.TimeProvider);
    private long _lost;
    private int _count;
    private int _next;
    private bool _isStopped;

    /// <summary>The number of observations, including those being cancelled.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _count;
            }
        }
    }

    public CoapEnvironment Environment => shards[0].Environment;

    public int Registrations
    {
        get
        {
            lock (_gate)
            {
                return _live.Count;
            }
        }
    }

    public long CountOf(CoapObserveState state) => Volatile.Read(ref _states[(int)state]);

    public void CountState(CoapObserveState state, int change) => Interlocked.Add(ref _states[(int)state], change);

    /// <summary>Counts an observation that lost its registration, and logs it.</summary>
    /// <param name="target">The observation.</param>
    /// <param name="reason">The reason, human-readable.</param>
    public void AddLost(ObservationTarget target, string reason)
    {
        long lost = Interlocked.Increment(ref _lost);
        if (_losses.IsDue())
        {
            ObservationLog.ObservationBroken(Environment.Logger, target.PublicName, reason, lost);
        }
    }

    /// <summary>Counts a lost observation that is registered again, and logs it.</summary>
    public void AddRecovered(ObservationTarget target)
    {
        long lost = Interlocked.Decrement(ref _lost);
        if (_recoveries.IsDue())
        {
            ObservationLog.ObservationRecovered(Environment.Logger, target.PublicName, lost);
        }
    }

    /// <summary>Counts a lost observation that has ended.</summary>
    public void ForgetLost() => Interlocked.Decrement(ref _lost);

    /// <summary>Observes a resource at the host of its URI. See <see cref="CoapEndpoint.ObserveAsync"/>.</summary>
    /// <param name="request">The request.</param>
    /// <param name="options">The options of the observation; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The observation.</returns>
    public async Task<CoapObservation> ObserveAsync(
        CoapRequest request, CoapObservationOptions? options, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        ObservationTarget.CheckObservable(request);
        CoapUri uri = RequestComposer.CheckTarget(request.Uri
            ?? throw new ArgumentException("The request has no URI. Create it with one, or observe a resource of a CoapPeer.",
                nameof(request)));
        if (uri.HostAddress is { } literal)
        {
            HostLookup.AddressOf(uri, literal);
        }

        // Report permanent errors at once.
        await context.Transports.ForAsync(uri.Scheme, cancellationToken).ConfigureAwait(false);
        return await ObserveAsync(ObservationTarget.At(uri, request), options, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Observes a resource of a peer, whatever host its URI names.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="request">The request.</param>
    /// <param name="options">The options of the observation; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The observation.</returns>
    public Task<CoapObservation> ObserveAsync(
        CoapChannel channel, CoapRequest request, CoapObservationOptions? options, CancellationToken cancellationToken)
    {
        ObservationTarget.CheckObservable(request);
        return ObserveAsync(ObservationTarget.At(channel, request), options, cancellationToken);
    }

    /// <summary>Begins to observe a target, and waits for the first response.</summary>
    /// <param name="target">The target.</param>
    /// <param name="options">The options of the observation; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting, and ends the observation.</param>
    /// <param name="start">Takes over a registration of an earlier process; null: a new observation registers.</param>
    /// <returns>The observation.</returns>
    public async Task<CoapObservation> BeginAsync(
        ObservationTarget target,
        CoapObservationOptions? options,
        CancellationToken cancellationToken,
        Action<ObserveClientRegistration, long>? start = null)
    {
        cancellationToken.ThrowIfCancellationRequested();
        CoapObservation observation = new(options);
        ClientObservation shared = Attach(target, observation, start);
        observation.Begin(shared);
        try
        {
            while (true)
            {
                Task changed = observation.WhenChanged();
                ObservationSnapshot snapshot = shared.Snapshot;
                if (snapshot.State != CoapObserveState.Registering)
                {
                    return snapshot.State != CoapObserveState.Failed || snapshot.Latest is not null ? observation : throw snapshot.Error!;
                }

                await changed.WaitAsync(cancellationToken).ConfigureAwait(false);
            }
        }
        catch
        {
            await observation.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    // With the telemetry from the call to the first notification, or another response of the server.
    private async Task<CoapObservation> ObserveAsync(
        ObservationTarget target, CoapObservationOptions? options, CancellationToken cancellationToken)
    {
        if (!CoapTelemetry.Source.HasListeners())
        {
            return await BeginAsync(target, options, cancellationToken).ConfigureAwait(false);
        }

        CoapChannel? peer = target.Peer;
        string scheme = peer?.Transport.Scheme ?? target.Uri!.Scheme;
        ClientRequestMeter watch = new(Environment, scheme.Contains('+', StringComparison.Ordinal), target.Message.Code.Value)
        {
            IsObservation = true
        };
        watch.Begin("OBSERVE", target.Uri, scheme, peer?.Remote.ToIPAddress().ToString() ?? target.Uri!.Host,
            peer?.Remote.Port ?? target.Uri!.Port);
        try
        {
            CoapObservation observation = await BeginAsync(target, options, cancellationToken).ConfigureAwait(false);
            watch.End(observation.Latest?.Code ?? CoapCode.Empty);
            return observation;
        }
        catch (Exception exception)
        {
            watch.Fail(exception);
            throw;
        }
    }

    /// <summary>Joins the observation of a target, or starts one.</summary>
    /// <param name="target">The target.</param>
    /// <param name="reader">The reader that joins.</param>
    /// <param name="start">Takes over a registration of an earlier process; null: a new observation registers.</param>
    /// <exception cref="CoapException">There are too many observations, or the endpoint was stopped.</exception>
    private ClientObservation Attach(ObservationTarget target, CoapObservation reader, Action<ObserveClientRegistration, long>? start)
    {
        ClientObservation? observation;
        bool isNew;
        lock (_gate)
        {
            if (_isStopped)
            {
                throw Stopped();
            }

            int limit = Environment.Limits.Observe.MaxObservations;
            if (_count >= limit)
            {
                throw new CoapException(
                    $"There are already {limit} observations. Dispose some, or raise CoapLimits.Observe.MaxObservations.");
            }

            _count++;
            isNew = !_live.TryGetValue(target, out observation);
            if (isNew)
            {
                _next = (_next + 1) % shards.Count;
                _live.Add(target, observation = new ClientObservation(target, this, context, shards[_next]));
            }

            observation!.Reregistration = observation.ReaderCount == 0
                ? reader.Reregistration
                : CoapReregistrationPolicy.Livelier(observation.Reregistration, reader.Reregistration);
            observation.AddReader(reader);
        }

        if (isNew)
        {
            observation.Begin(start);
        }
        else
        {
            observation.OnReadersChanged();
        }

        return observation;
    }

    /// <summary>Leaves the observation of a target; the last reader cancels it.</summary>
    /// <param name="observation">The observation.</param>
    /// <param name="reader">The reader that leaves.</param>
    /// <param name="isLeft">Whether another process takes it over.</param>
    public void Detach(ClientObservation observation, CoapObservation reader, bool isLeft)
    {
        lock (_gate)
        {
            observation.RemoveReader(reader);
            if (observation.ReaderCount > 0)
            {
                _count--;
                return;
            }

            // A new reader starts another observation. This one keeps its place until it is cancelled.
            Remove(observation);
        }

        observation.Cancel(isLeft);
    }

    /// <summary>Ends an observation whose registration was lost and would not be repeated.</summary>
    /// <returns>Whether that still holds; no reader can join it then.</returns>
    public bool TryEnd(ClientObservation observation)
    {
        lock (_gate)
        {
            if (observation.ReaderCount > 0 && observation.Reregistration.IsEnabled)
            {
                return false;
            }

            Remove(observation);
            return true;
        }
    }

    /// <summary>Ends an observation that can never be registered again: no reader can join it.</summary>
    public void Abandon(ClientObservation observation)
    {
        lock (_gate)
        {
            Remove(observation);
        }
    }

    /// <summary>Releases the place of an observation whose last reader left and whose cancellation is complete.</summary>
    public void Release()
    {
        lock (_gate)
        {
            _count--;
        }
    }

    /// <summary>Ends all observations because the endpoint stops.</summary>
    public void Stop()
    {
        ClientObservation[] all;
        lock (_gate)
        {
            _isStopped = true;
            all = [.. _live.Values];
            _live.Clear();
        }

        foreach (ClientObservation observation in all)
        {
            observation.Stop(Stopped());
        }
    }

    private static CoapException Stopped() => new("The endpoint was stopped and cannot observe any more. Create a new one.");

    public IReadOnlyList<CoapObservation> ReadersOf(ClientObservation observation)
    {
        lock (_gate)
        {
            return observation.Readers;
        }
    }

    private void Remove(ClientObservation observation)
    {
        if (_live.TryGetValue(observation.Target, out ClientObservation? there) && ReferenceEquals(there, observation))
        {
            _live.Remove(observation.Target);
        }
    }
}
