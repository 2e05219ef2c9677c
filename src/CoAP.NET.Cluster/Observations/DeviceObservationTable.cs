using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Observations;

/// <summary>The observations of this node at devices, by record and by session of the device. Thread-safe.</summary>
internal sealed class DeviceObservationTable
{
    private readonly Dictionary<CoapRecordKey, DurableObservation> _all = [];
    private readonly Dictionary<string, List<DurableObservation>> _bySession = new(StringComparer.Ordinal);

    /// <summary>Guards the mutable fields of observations. It may be held during calls of this table.</summary>
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

    /// <summary>Adds an observation.</summary>
    /// <returns>False if the device already has one of this name.</returns>
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

    /// <summary>Removes an observation.</summary>
    /// <returns>False if it was already removed.</returns>
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

    public List<DurableObservation> TakeAll(Func<DurableObservation, bool> isMeant)
    {
        lock (Gate)
        {
            List<DurableObservation> taken = FindAll(isMeant);
            taken.ForEach(observation => TryTake(observation));
            return taken;
        }
    }

    /// <summary>Returns a copy of the selected observations. The callback runs under the gate.</summary>
    public List<DurableObservation> FindAll(Func<DurableObservation, bool> isMeant)
    {
        lock (Gate)
        {
            return [.. _all.Values.Where(isMeant)];
        }
    }

    /// <summary>Returns a copy of the observations at a device.</summary>
    public IReadOnlyList<DurableObservation> OfSession(ReadOnlySpan<byte> session)
    {
        lock (Gate)
        {
            return _all.Count == 0 ? [] : [.. _bySession.GetValueOrDefault(Convert.ToHexString(session)) ?? []];
        }
    }
}
