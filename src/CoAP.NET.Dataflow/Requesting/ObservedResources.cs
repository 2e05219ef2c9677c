using CoAP.NET.Channels;

namespace CoAP.NET.Requesting;

/// <summary>The observations of an endpoint by target: equal targets share a registration (RFC 7641 section 3.1). Thread-safe.</summary>
/// <param name="shards">The shards, over whose wheels and locks the observations are spread.</param>
/// <param name="port">What observations need of the endpoint.</param>
internal sealed class ObservedResources(IReadOnlyList<CoapShard> shards, IObservationPort port)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<ObservationTarget, ObservedResource> _live = [];
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
    /// <exception cref="CoapException">There are too many, or the endpoint was stopped.</exception>
    public ObservedResource Attach(ObservationTarget target, IObservationReader reader)
    {
        ObservedResource? resource;
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
            isNew = !_live.TryGetValue(target, out resource);
            if (isNew)
            {
                _next = (_next + 1) % shards.Count;
                _live.Add(target, resource = new ObservedResource(target, this, port, shards[_next]));
            }

            resource!.Reregistration = resource.Readers.Count == 0 ? reader.Reregistration : CoapReregistration.Livelier(resource.Reregistration, reader.Reregistration);
            resource.Readers.Add(reader);
        }

        if (isNew)
        {
            resource.Begin();
        }
        else
        {
            resource.OnReadersChanged();
        }

        return resource;
    }

    /// <summary>Leaves the observation of a target; the last one cancels it.</summary>
    public void Detach(ObservedResource resource, IObservationReader reader)
    {
        lock (_gate)
        {
            resource.Readers.Remove(reader);
            if (resource.Readers.Count > 0)
            {
                _count--;
                return;
            }

            // Whoever comes now begins another observation. The place of this one is kept until it is cancelled.
            Remove(resource);
        }

        resource.Cancel();
    }

    /// <summary>A registration was lost and would not be made again.</summary>
    /// <returns>Whether that is still so; then nobody can join it any more.</returns>
    public bool TryEnd(ObservedResource resource)
    {
        lock (_gate)
        {
            if (resource.Readers.Count > 0 && resource.Reregistration.IsEnabled)
            {
                return false;
            }

            Remove(resource);
            return true;
        }
    }

    /// <summary>An observation can never be made again, whoever wants it: nobody joins it any more.</summary>
    public void Abandon(ObservedResource resource)
    {
        lock (_gate)
        {
            Remove(resource);
        }
    }

    /// <summary>The last observer of a resource left, and its cancellation is over.</summary>
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
        ObservedResource[] all;
        lock (_gate)
        {
            _isStopped = true;
            all = [.. _live.Values];
            _live.Clear();
        }

        foreach (ObservedResource resource in all)
        {
            resource.Stop(Stopped());
        }
    }

    private static CoapException Stopped() => new("The endpoint was stopped; nothing can be observed any more. Make a new one.");

    /// <summary>Those who share a resource, now.</summary>
    public IReadOnlyList<IObservationReader> ReadersOf(ObservedResource resource)
    {
        lock (_gate)
        {
            return resource.Readers.ToList();
        }
    }

    private void Remove(ObservedResource resource)
    {
        if (_live.TryGetValue(resource.Target, out ObservedResource? there) && ReferenceEquals(there, resource))
        {
            _live.Remove(resource.Target);
        }
    }
}
