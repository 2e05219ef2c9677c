namespace CoAP.NET.Observing;

/// <summary>The observations of an endpoint by target: equal targets share a registration (RFC 7641 section 3.1). Thread-safe.</summary>
/// <param name="shards">The shards, over whose wheels and locks the observations are spread.</param>
/// <param name="port">What observations need of the endpoint.</param>
internal sealed class ClientObservations(IReadOnlyList<CoapShard> shards, ObservationPort port)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<ObservationTarget, ClientObservation> _live = [];
    private int _count;
    private int _next;
    private bool _isStopped;

    /// <summary>Observations, with those that are being cancelled.</summary>
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

    /// <summary>Registrations that are kept.</summary>
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

    /// <summary>Joins the observation of a target, or begins one.</summary>
    /// <param name="target">The target.</param>
    /// <param name="reader">Who joins.</param>
    /// <param name="adopted">The registration that a new one goes on with; null: it registers.</param>
    /// <exception cref="CoapException">There are too many, or the endpoint was stopped.</exception>
    public ClientObservation Attach(ObservationTarget target, CoapObservation reader, AdoptedRegistration? adopted)
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
                throw new CoapException($"There are {limit} observations already. Dispose some, or raise CoapLimits.MaxObservations.");
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

    /// <summary>Leaves the observation of a target; the last one cancels it.</summary>
    /// <param name="observation">The observation.</param>
    /// <param name="reader">Who leaves.</param>
    /// <param name="isLeft">Whether another process goes on with it.</param>
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

            // Whoever comes now begins another observation. The place of this one is kept until it is cancelled.
            Remove(observation);
        }

        observation.Cancel(isLeft);
    }

    /// <summary>A registration was lost and would not be made again.</summary>
    /// <returns>Whether that is still so; then nobody can join it any more.</returns>
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

    /// <summary>An observation can never be made again, whoever wants it: nobody joins it any more.</summary>
    public void Abandon(ClientObservation observation)
    {
        lock (_gate)
        {
            Remove(observation);
        }
    }

    /// <summary>The last observer of a observation left, and its cancellation is over.</summary>
    public void Release()
    {
        lock (_gate)
        {
            _count--;
        }
    }

    /// <summary>Ends all observations, because the endpoint stops.</summary>
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

    private static CoapException Stopped() => new("The endpoint was stopped; nothing can be observed any more. Make a new one.");

    /// <summary>Those who share a observation, now.</summary>
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
