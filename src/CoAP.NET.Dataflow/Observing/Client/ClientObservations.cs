namespace CoAP.NET.Observing;

/// <summary>The observations of an endpoint by target: equal targets share a registration (RFC 7641 section 3.1). Thread-safe.</summary>
/// <param name="shards">The shards; the observations are distributed over their wheels and locks.</param>
/// <param name="port">Connects observations with the endpoint.</param>
internal sealed class ClientObservations(IReadOnlyList<CoapShard> shards, ObservationPort port)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<ObservationTarget, ClientObservation> _live = [];
    private readonly ObservationStates _states = new(shards[0].Environment);
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

    /// <summary>The numbers of observations by state.</summary>
    public ObservationStates States => _states;

    public CoapEnvironment Environment => shards[0].Environment;

    /// <summary>The number of registrations.</summary>
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

    /// <summary>Begins to observe a target, and waits for the first response.</summary>
    /// <param name="target">The target.</param>
    /// <param name="options">The options of the observation; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting, and ends the observation.</param>
    /// <param name="adopted">The registration that a new observation takes over; null: it registers.</param>
    /// <returns>The observation.</returns>
    public async Task<CoapObservation> BeginAsync(ObservationTarget target, CoapObserveOptions? options, CancellationToken cancellationToken,
        AdoptedRegistration? adopted = null)
    {
        cancellationToken.ThrowIfCancellationRequested();
        CoapObservation observation = new(options);
        ClientObservation shared = Attach(target, observation, adopted);
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

    /// <summary>Joins the observation of a target, or starts one.</summary>
    /// <param name="target">The target.</param>
    /// <param name="reader">The reader that joins.</param>
    /// <param name="adopted">The registration that a new observation takes over; null: it registers.</param>
    /// <exception cref="CoapException">There are too many observations, or the endpoint was stopped.</exception>
    private ClientObservation Attach(ObservationTarget target, CoapObservation reader, AdoptedRegistration? adopted)
    {
        ClientObservation? observation;
        bool isNew;
        lock (_gate)
        {
            if (_isStopped)
            {
                throw Stopped();
            }

            int limit = Environment.Limits.MaxObservations;
            if (_count >= limit)
            {
                throw new CoapException($"There are already {limit} observations. Dispose some, or raise CoapLimits.MaxObservations.");
            }

            _count++;
            isNew = !_live.TryGetValue(target, out observation);
            if (isNew)
            {
                _next = (_next + 1) % shards.Count;
                _live.Add(target, observation = new ClientObservation(target, this, port, shards[_next]));
            }

            observation!.Reregistration = observation.Readers.Count == 0
                ? reader.Reregistration
                : CoapReregistration.Livelier(observation.Reregistration, reader.Reregistration);
            observation.Readers.Add(reader);
        }

        if (isNew)
        {
            observation.Begin(adopted);
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
            observation.Readers.Remove(reader);
            if (observation.Readers.Count > 0)
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
            if (observation.Readers.Count > 0 && observation.Reregistration.IsEnabled)
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

    /// <summary>Returns the current readers of an observation.</summary>
    public IReadOnlyList<CoapObservation> ReadersOf(ClientObservation observation)
    {
        lock (_gate)
        {
            return observation.Readers.ToList();
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
