namespace CoAP.NET.Cluster;

/// <summary>The observations at devices that this node has, by record and by session of the device. Thread-safe.</summary>
internal sealed class ObservationTable
{
    private readonly Dictionary<CoapRecordKey, DurableObservation> _all = [];
    private readonly Dictionary<string, List<DurableObservation>> _bySession = new(StringComparer.Ordinal);

    /// <summary>Guards what changes of an observation. May be held while this table is called.</summary>
    public Lock Gate { get; } = new();

    public int Count
    {
        get
        {
            lock (Gate)
            {
                return _all.Count;
            }
        }
    }

    /// <summary>Adds one.</summary>
    /// <returns>False when there is one of its name at the device.</returns>
    public bool TryAdd(DurableObservation observation)
    {
        lock (Gate)
        {
            if (!_all.TryAdd(observation.Key, observation))
            {
                return false;
            }

            if (!_bySession.TryGetValue(observation.Session, out List<DurableObservation>? those))
            {
                _bySession.Add(observation.Session, those = []);
            }

            those.Add(observation);
            return true;
        }
    }

    public DurableObservation? Find(CoapRecordKey key)
    {
        lock (Gate)
        {
            return _all.GetValueOrDefault(key);
        }
    }

    /// <summary>Takes one out.</summary>
    /// <returns>False when it was taken out already.</returns>
    public bool TryTake(DurableObservation observation)
    {
        lock (Gate)
        {
            if (_all.GetValueOrDefault(observation.Key) != observation)
            {
                return false;
            }

            _all.Remove(observation.Key);
            List<DurableObservation> those = _bySession[observation.Session];
            those.Remove(observation);
            if (those.Count == 0)
            {
                _bySession.Remove(observation.Session);
            }

            return true;
        }
    }

    /// <summary>Takes out those that are meant.</summary>
    public List<DurableObservation> TakeAll(Func<DurableObservation, bool> isMeant)
    {
        lock (Gate)
        {
            List<DurableObservation> taken = FindAll(isMeant);
            taken.ForEach(observation => TryTake(observation));
            return taken;
        }
    }

    /// <summary>Those that are meant, as a list of its own. The gate is held while it is asked.</summary>
    public List<DurableObservation> FindAll(Func<DurableObservation, bool> isMeant)
    {
        lock (Gate)
        {
            return [.. _all.Values.Where(isMeant)];
        }
    }

    /// <summary>Those at a device, as a list of its own.</summary>
    public IReadOnlyList<DurableObservation> OfSession(ReadOnlySpan<byte> session)
    {
        lock (Gate)
        {
            return _all.Count == 0 ? [] : [.. _bySession.GetValueOrDefault(Convert.ToHexString(session)) ?? []];
        }
    }
}
